//! A strict reader of what `--json` prints: every line must fit the schema that the program itself
//! prints (`meerslag schema`).
//!
//! It knows the keywords that this schema uses and no others: one that it does not know fails the
//! test. `tests/interop/json_schema.py` checks the same with a complete library.

use std::sync::OnceLock;

use serde_json::{Map, Value};

use crate::run;

/// Asserts that a line fits the schema.
///
/// # Panics
/// If it does not.
#[track_caller]
pub fn check_line(line: &Value) {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    let schema = SCHEMA.get_or_init(|| {
        serde_json::from_str(&run(["schema"], "").success().stdout).expect("a schema")
    });
    let kinds = schema["oneOf"].as_array().expect("a list of lines");
    let kind = kinds.iter().find(|kind| kind["title"] == line["type"]);
    let Some(kind) = kind else { panic!("no such type in the schema: {line}") };
    let mut known = Vec::new();
    if let Err(error) = fits(schema, kind, line, &mut known) {
        panic!("{error}: {line}");
    }
    for key in line.as_object().expect("an object").keys() {
        assert!(known.contains(key), "unknown key '{key}': {line}");
    }
}

/// Asserts that a value fits this schema, whose references lead into `root`.
///
/// # Panics
/// If it does not.
#[track_caller]
pub fn check_value(root: &Value, schema: &Value, value: &Value) {
    if let Err(error) = nested(root, schema, value) {
        panic!("{error}: {value}");
    }
}

type Fits = Result<(), String>;

/// Adds the keys that the schema names to `known`.
fn fits(root: &Value, schema: &Value, value: &Value, known: &mut Vec<String>) -> Fits {
    let Some(schema) = schema.as_object() else {
        return if schema == &Value::Bool(true) { Ok(()) } else { Err(format!("{schema}")) };
    };
    for (keyword, rule) in schema {
        match keyword.as_str() {
            "title" | "description" | "$schema" | "$defs" | "default" | "format" => {}
            "unevaluatedProperties" => assert_eq!(rule, &Value::Bool(false)),
            "$ref" => {
                let pointer = rule.as_str().and_then(|text| text.strip_prefix('#'));
                let target = pointer.and_then(|pointer| root.pointer(pointer));
                fits(root, target.ok_or_else(|| format!("no {rule}"))?, value, known)?;
            }
            "allOf" => {
                for part in list(rule) {
                    fits(root, part, value, known)?;
                }
            }
            "oneOf" | "anyOf" => {
                let mut found = 0;
                for part in list(rule) {
                    let mut keys = Vec::new();
                    if fits(root, part, value, &mut keys).is_ok() {
                        found += 1;
                        known.extend(keys);
                    }
                }
                if found == 0 || keyword == "oneOf" && found > 1 {
                    return Err(format!("{found} of {keyword} fit"));
                }
            }
            "type" => is_type(rule, value)?,
            "const" if rule == value => {}
            "const" => return Err(format!("{value} is not {rule}")),
            "enum" if list(rule).contains(value) => {}
            "enum" => return Err(format!("{value} is not in {rule}")),
            "minimum" | "maximum" => {
                let (Some(number), Some(bound)) = (value.as_f64(), rule.as_f64()) else { continue };
                let is_good = if keyword == "minimum" { number >= bound } else { number <= bound };
                if !is_good {
                    return Err(format!("{keyword} {bound}, found {value}"));
                }
            }
            "minLength" | "maxLength" => {
                let Some(text) = value.as_str() else { continue };
                let length = Some(text.chars().count() as u64);
                let is_good = if keyword == "minLength" {
                    length >= rule.as_u64()
                } else {
                    length <= rule.as_u64()
                };
                if !is_good {
                    return Err(format!("{keyword} of {value}"));
                }
            }
            "minItems" | "maxItems" => {
                let Some(items) = value.as_array() else { continue };
                if Some(items.len() as u64) != rule.as_u64() {
                    return Err(format!("{keyword} of {value}"));
                }
            }
            "required" => {
                for key in list(rule) {
                    if value.get(key.as_str().unwrap_or_default()).is_none() {
                        return Err(format!("no key {key}"));
                    }
                }
            }
            "properties" => {
                let Some(object) = value.as_object() else { continue };
                properties(root, rule, object, known)?;
            }
            "additionalProperties" => {
                for part in value.as_object().into_iter().flat_map(Map::values) {
                    nested(root, rule, part)?;
                }
            }
            "prefixItems" => {
                for (part, item) in list(rule).iter().zip(list(value)) {
                    nested(root, part, item)?;
                }
            }
            "items" => {
                for item in list(value) {
                    nested(root, rule, item)?;
                }
            }
            _ => return Err(format!("the keyword {keyword} with {rule}")),
        }
    }
    Ok(())
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn properties(
    root: &Value,
    rules: &Value,
    object: &Map<String, Value>,
    known: &mut Vec<String>,
) -> Fits {
    for (key, rule) in rules.as_object().into_iter().flatten() {
        known.push(key.clone());
        if let Some(value) = object.get(key) {
            nested(root, rule, value).map_err(|error| format!("{key}: {error}"))?;
        }
    }
    Ok(())
}

/// A value within another one; an object may have no keys that the schema does not name.
fn nested(root: &Value, schema: &Value, value: &Value) -> Fits {
    let mut known = Vec::new();
    fits(root, schema, value, &mut known)?;
    let unknown = value.as_object().filter(|_| !known.is_empty());
    match unknown.and_then(|object| object.keys().find(|key| !known.contains(key))) {
        Some(key) => Err(format!("unknown key '{key}'")),
        None => Ok(()),
    }
}

fn is_type(rule: &Value, value: &Value) -> Fits {
    let is = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    };
    let names: Vec<&str> = match rule {
        Value::String(name) => vec![name],
        _ => list(rule).iter().filter_map(Value::as_str).collect(),
    };
    if names.into_iter().any(is) { Ok(()) } else { Err(format!("{value} is no {rule}")) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_does_not_fit_is_noticed() {
        let root = json!({ "$defs": { "a": { "type": "object", "properties": {
            "n": { "type": ["integer", "null"] }, "list": { "items": { "const": 1 } }
        }, "required": ["n"] } } });
        let schema = json!({ "$ref": "#/$defs/a" });
        let check = |value: Value| nested(&root, &schema, &value);
        assert_eq!(check(json!({ "n": 3, "list": [1, 1] })), Ok(()));
        assert_eq!(check(json!({ "n": null })), Ok(()));
        for bad in [
            json!({}),
            json!({ "n": 1.5 }),
            json!({ "n": "1" }),
            json!({ "n": 1, "list": [1, 2] }),
            json!({ "n": 1, "more": 1 }),
            json!([]),
        ] {
            assert!(check(bad.clone()).is_err(), "{bad}");
        }
        assert!(nested(&root, &json!({ "if": true }), &json!(1)).is_err());
    }
}
