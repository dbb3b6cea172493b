# Every scene is valid by docs/scene.schema.json. Usage: python3 check_schema.py SCHEMA SCENE...
import json
import sys

import jsonschema

with open(sys.argv[1]) as file:
    schema = json.load(file)
validator = jsonschema.validators.validator_for(schema)(schema)
validator.check_schema(schema)
failures = 0
for path in sys.argv[2:]:
    with open(path) as file:
        errors = list(validator.iter_errors(json.load(file)))
    for error in errors[:5]:
        print(f"FAIL {path}: {error.json_path}: {error.message[:200]}")
    failures += bool(errors)
print(f"schema: {len(sys.argv) - 2} scenes, {failures} not valid")
sys.exit(failures != 0)
