"""Validates the OpenAPI description of `meerslag serve`, and answers against it.

    pip install openapi-spec-validator jsonschema
    python tests/interop/openapi.py target/release/meerslag
"""

import json
import subprocess
import sys
import urllib.error
import urllib.request

from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

server = subprocess.Popen(
    [sys.argv[1], "serve", "--port", "0", "--hash", "1"], stdout=subprocess.PIPE, text=True
)
try:
    base = server.stdout.readline().split()[-1].rstrip("/")

    def get(path):
        try:
            with urllib.request.urlopen(base + path, timeout=30) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    description = get("/openapi.json")[1]
    errors = list(OpenAPIV31SpecValidator(description).iter_errors())
    assert not errors, errors

    count = 0
    for path in [
        "/v1/server", "/v1/legal?moves=32-28", "/v1/probe?fen=W:WK11:BK2,K6",
        "/v1/line?fen=W:WK11:BK2,K6", "/v1/play?level=1", "/v1/position?slice=0101",
        "/v1/slices", "/v1/judge?fen=W:WK11:BK2,K6&move=11-50", "/v1/probe?fen=nonsense",
        "/v1/legal?nonsense=1",
    ]:
        status, answer = get(path)
        responses = description["paths"][path.split("?")[0]]["get"]["responses"]
        content = responses["200" if status == 200 else "4XX"]["content"]
        (media_type,) = content
        schema = content[media_type]["schema"] | {"components": description["components"]}
        Draft202012Validator(schema).validate(answer)
        count += 1
    print(f"a valid description of {len(description['paths'])} paths, {count} answers by it")
finally:
    server.terminate()
    server.wait()
