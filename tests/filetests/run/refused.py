def words(lines):
    seen = {}
    for line in lines:
        seen[line] = line.partition("=")
    return seen


print(words(["a", "b", "a"]))


# expect
# serial 3: 1 x unknown-function
# threads 3: 1 x unknown-function
