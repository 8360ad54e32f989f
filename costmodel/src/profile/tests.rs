use crate::profile::*;

fn text() -> String {
    MachineProfile::default().to_json()
}

fn refused(text: &str) -> String {
    MachineProfile::parse(text).unwrap_err().to_string()
}

#[test]
fn the_default_survives_a_round_trip() {
    assert_eq!(
        MachineProfile::parse(&text()),
        Ok(MachineProfile::default())
    );
}

#[test]
fn a_measured_one_survives_it_too() {
    let mut profile = MachineProfile {
        machine: Some(machine()),
        ..MachineProfile::default()
    };
    let errors = Errors {
        median: 0.07,
        p90: 0.3,
    };
    profile.errors.insert("interpreter".into(), errors);
    assert_eq!(MachineProfile::parse(&profile.to_json()), Ok(profile));
}

#[test]
fn what_is_cut_off_is_refused() {
    let text = text();
    for end in [0, 1, text.len() / 2, text.len() - 3] {
        assert!(refused(&text[..end]).contains("not a machine profile"));
    }
    assert!(refused("[]").contains("not a machine profile"));
    assert!(refused("{}").contains("no version"));
}

#[test]
fn other_versions_are_told_by_number() {
    for version in [1, 4, 99] {
        let text = format!(r#"{{"version": {version}}}"#);
        assert_eq!(
            MachineProfile::parse(&text),
            Err(ProfileError::Version(version))
        );
        assert!(refused(&text).contains("nestwise calibrate"));
    }
}

/// The default profile as text, with one field replaced.
fn with(section: &str, field: &str, value: &str) -> String {
    let mut all: Value = serde_json::from_str(&text()).unwrap();
    all[section][field] = serde_json::from_str(value).unwrap();
    all.to_string()
}

#[test]
fn bad_numbers_are_refused_with_the_field_named() {
    for (section, field) in [
        ("interpreter", "int_add"),
        ("call", "launch"),
        ("cold", "bound"),
        ("compile", "node"),
        ("host", "issue"),
        ("pages", "small"),
        ("threads", "fork_join"),
    ] {
        for value in ["-1.0", "2e9", "\"7\"", "null", "true", "[1.0]", "{}"] {
            let why = refused(&with(section, field, value));
            assert!(why.contains(&format!("{section}.{field} is")), "{why}");
        }
    }
    // JSON has no such numbers.
    let launch = r#""launch": "#;
    let at = text().find(launch).unwrap() + launch.len();
    for value in ["NaN", "1e999", "Infinity"] {
        let broken = format!("{}{value},{}", &text()[..at], &text()[at..]);
        assert!(refused(&broken).contains("line"), "{value}");
    }
    assert!(refused(&with("threads", "compute", "1.5")).contains("threads.compute"));
    assert!(refused(&with("threads", "fork_join", "0.0")).contains("threads.fork_join"));
    assert!(MachineProfile::parse(&with("interpreter", "load", "0.0")).is_ok());
}

#[test]
fn a_pace_is_a_time_or_left_out() {
    let with = |value: &str| {
        let mut all: Value = serde_json::from_str(&text()).unwrap();
        all["pace"] = serde_json::from_str(value).unwrap();
        all.to_string()
    };
    for value in ["0.0", "-3.0", "2e9"] {
        assert!(refused(&with(value)).contains("pace is"));
    }
    assert!(refused(&with("\"fast\"")).contains("pace"));
    let profile = MachineProfile::parse(&with("52.5")).unwrap();
    assert_eq!(profile.pace, Some(52.5));
    let mut all: Value = serde_json::from_str(&text()).unwrap();
    all.as_object_mut().unwrap().remove("pace");
    assert_eq!(MachineProfile::parse(&all.to_string()).unwrap().pace, None);
}

#[test]
fn fields_that_are_missing_or_unknown_are_named() {
    let mut all: Value = serde_json::from_str(&text()).unwrap();
    all["interpreter"].as_object_mut().unwrap().remove("load");
    let why = refused(&all.to_string());
    assert!(
        why.contains("interpreter") && why.contains("`load`"),
        "{why}"
    );
    let why = refused(&with("interpreter", "warp", "1.0"));
    assert!(
        why.contains("interpreter") && why.contains("`warp`"),
        "{why}"
    );
    let mut all: Value = serde_json::from_str(&text()).unwrap();
    all.as_object_mut().unwrap().remove("host");
    assert!(refused(&all.to_string()).contains("`host`"));
    let why = refused(&text().replacen("\"errors\"", "\"mistakes\"", 1));
    assert!(why.contains("`mistakes`"), "{why}");
    let why = refused(&with("errors", "weather", r#"{"median": 0.1, "p90": 0.2}"#));
    assert!(why.contains("errors.weather"), "{why}");
}

fn machine() -> Machine {
    Machine {
        cpu: "a processor".into(),
        cores: 4,
        smt: true,
        numa_nodes: 1,
        caches: vec![32 << 10, 1 << 20],
        python: "3.11.7".into(),
        numpy: Some("2.1.0".into()),
        card: None,
        driver: None,
        date: "2026-11-22".into(),
    }
}

#[test]
fn another_machine_is_told_by_what_matters() {
    let here = machine();
    let patch = Machine {
        python: "3.11.9".into(),
        date: "2027-01-01".into(),
        ..machine()
    };
    assert!(here.differs(&patch).is_empty());
    let other = Machine {
        python: "3.12.1".into(),
        cores: 8,
        ..machine()
    };
    let told = here.differs(&other).join("; ");
    assert!(
        told.contains("3.12") && told.contains("cores was 8 and is 4"),
        "{told}"
    );
}

#[test]
fn the_default_has_a_weight_for_every_kind() {
    use crate::weights::Kind;
    let profile = MachineProfile::default();
    for kind in Work::ALL {
        assert!(profile.interpreter.get(kind) > 0.0, "{}", kind.name());
    }
    for kind in LaunchWork::ALL {
        assert!(profile.call.get(*kind) > 0.0, "{}", kind.name());
    }
}
