def words(lines):
    seen = {}
    for line in lines:
        seen[line] = seen.get(line, 0) + 1
    return seen


print(words(["a", "b", "a"]))


# expect
# serial 3: 1 x type
# threads 3: 1 x type
