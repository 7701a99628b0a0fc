//! The description of the routes in the form of OpenAPI 3.1
//! (<https://spec.openapis.org/oas/v3.1.0>), made from the table that the server itself works by.

use std::collections::HashSet;

use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::super::{Body, Method, Parameters, Problem, ROUTES, Route};
use movegen::json::VERSION;

/// The description.
#[must_use]
pub fn document() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with(|s| s.definitions_path = "/components/schemas".into());
    let mut generator = settings.into_generator();
    let problem = Problem::schema(&mut generator);
    let mut paths = Map::new();
    for route in ROUTES {
        let method = match route.method {
            Method::Get => "get",
            Method::Post => "post",
        };
        let item = paths.entry(route.path).or_insert_with(|| json!({}));
        item[method] = operation(route, &mut generator, &problem);
    }
    for (path, summary, media_type) in [
        ("/health", "Whether the server lives", "application/json"),
        ("/metrics", "Figures in the text format of Prometheus", "text/plain"),
        ("/openapi.json", "This description", "application/json"),
        ("/problems", "What the problems are, a line each", "text/plain"),
    ] {
        let answer = json!({ "description": summary, "content": { media_type: {} } });
        let name = path.trim_start_matches('/').replace('.', "_");
        let get =
            json!({ "operationId": name, "summary": summary, "responses": { "200": answer } });
        paths.insert(path.to_owned(), json!({ "get": get }));
    }
    let hub = json!({
        "operationId": "hub",
        "summary": "A WebSocket that speaks the Hub protocol, its lines as text messages",
        "responses": {
            "101": { "description": "The WebSocket is open" },
            "4XX": failed(&problem),
            "5XX": failed(&problem),
        },
    });
    paths.insert("/v1/hub".to_owned(), json!({ "get": hub }));
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Meerslag",
            "summary": "International draughts: rules, endgame databases, book, analysis",
            "version": env!("CARGO_PKG_VERSION"),
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "paths": paths,
        "components": { "schemas": generator.take_definitions(true) },
    })
}

fn operation(route: &Route, generator: &mut SchemaGenerator, problem: &Schema) -> Value {
    let content = match route.gives {
        Body::Json(schema) => {
            let keys = json!({
                "type": "object",
                "properties": { "type": { "type": "string" }, "version": { "const": VERSION } },
                "required": ["type", "version"],
            });
            json!({ "application/json": { "schema": { "allOf": [schema(generator), keys] } } })
        }
        Body::Events => json!({ "text/event-stream": { "schema": { "type": "string" } } }),
        Body::Text(media_type) => json!({ media_type: { "schema": { "type": "string" } } }),
    };
    let failed = failed(problem);
    let mut given: Vec<Value> = route.parameters.iter().flat_map(described).collect();
    // Position and conditions on games share the variant.
    let mut names = HashSet::new();
    given.retain(|parameter| names.insert(parameter["name"].to_string()));
    let mut operation = json!({
        "operationId": route.path.trim_start_matches("/v1").trim_matches('/').replace(['.', '/'], "_"),
        "summary": route.summary,
        "parameters": given,
        "responses": {
            "200": { "description": "The answer", "content": content },
            "4XX": failed,
            "5XX": failed,
        },
    });
    if !route.takes.is_empty() {
        let content: Map<String, Value> =
            route.takes.iter().map(|media_type| ((*media_type).to_owned(), json!({}))).collect();
        operation["requestBody"] = json!({ "required": true, "content": content });
    }
    operation
}

fn failed(problem: &Schema) -> Value {
    json!({
        "description": "A problem (RFC 9457)",
        "content": { Problem::MEDIA_TYPE: { "schema": problem } },
    })
}

/// The fields of a struct as parameters, which are texts or are missing, but never null.
fn described(parameters: &Parameters) -> Vec<Value> {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let schema = (parameters.schema)(&mut settings.into_generator()).to_value();
    let required = schema["required"].as_array();
    let fields = schema["properties"].as_object().into_iter().flatten();
    let parameter = |(name, schema): (&String, &Value)| {
        let mut schema = schema.clone();
        for words in ["type", "enum"] {
            if let Some(Value::Array(words)) = schema.get_mut(words) {
                words.retain(|word| *word != "null" && !word.is_null());
            }
        }
        let mut description = None;
        if let Some(schema) = schema.as_object_mut() {
            schema.retain(|key, value| key != "default" || !value.is_null());
            description = schema.remove("description");
        }
        json!({
            "name": name,
            "in": "query",
            "description": description,
            "required": required.is_some_and(|names| names.iter().any(|it| it == name)),
            "schema": schema,
        })
    };
    fields.map(parameter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every reference leads to a schema; `tests/interop/openapi.py` has a validator look at all.
    #[test]
    fn references_lead_somewhere() {
        fn check(root: &Value, value: &Value, count: &mut usize) {
            match value {
                Value::Object(map) => {
                    if let Some(Value::String(target)) = map.get("$ref") {
                        let pointer = target.strip_prefix('#').expect("within the document");
                        assert!(root.pointer(pointer).is_some(), "{target}");
                        *count += 1;
                    }
                    map.values().for_each(|value| check(root, value, count));
                }
                Value::Array(list) => list.iter().for_each(|value| check(root, value, count)),
                _ => {}
            }
        }
        let document = document();
        let mut count = 0;
        check(&document, &document, &mut count);
        assert!(count > 10, "{count}");
        for route in ROUTES {
            assert!(document["paths"][route.path].is_object(), "{}", route.path);
        }
    }

    #[test]
    fn operations_have_names_of_their_own() {
        let document = document();
        let paths = document["paths"].as_object().unwrap();
        let operations = paths.values().flat_map(|item| item.as_object().unwrap().values());
        let names: Vec<&Value> = operations.map(|operation| &operation["operationId"]).collect();
        let distinct: HashSet<_> = names.iter().map(ToString::to_string).collect();
        assert_eq!(names.len(), distinct.len(), "{names:?}");
    }
}
