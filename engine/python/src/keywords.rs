//! Keywords of a call that are the fields of a struct of the libraries, which serde reads.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::board::Color;

/// The struct with these keywords; `None` is as good as nothing. `field` gives the name of a
/// keyword's field if that is another one.
///
/// # Errors
/// `TypeError` for a keyword without a field, `ValueError` for a bad value; both name the keyword.
pub fn read<T: DeserializeOwned>(
    given: Option<&Bound<'_, PyDict>>,
    field: impl Fn(&str) -> Option<&'static str>,
) -> PyResult<T> {
    let mut fields = Map::new();
    for (name, value) in given.into_iter().flatten().filter(|(_, value)| !value.is_none()) {
        let name: String = name.extract()?;
        let value = if let Ok(is_so) = value.cast::<PyBool>() {
            Value::from(is_so.is_true())
        } else if value.is_instance_of::<PyInt>() {
            Value::from(value.extract::<u64>().map_err(|error| refused(&name, &error))?)
        } else if let Ok(color) = value.extract::<Color>() {
            Value::from(if color == Color::White { "white" } else { "black" })
        } else {
            Value::from(value.str()?.to_string())
        };
        let key = field(&name).map_or_else(|| name.clone(), str::to_owned);
        // By itself, for an error that names it.
        let alone = Map::from_iter([(key.clone(), value.clone())]);
        if let Err(error) = T::deserialize(Value::Object(alone)) {
            return Err(match error.to_string() {
                why if why.starts_with("unknown field") => {
                    PyTypeError::new_err(format!("'{name}' is not one of the keywords"))
                }
                why => refused(&name, &why),
            });
        }
        fields.insert(key, value);
    }
    T::deserialize(Value::Object(fields)).map_err(|error| refused("keywords", &error))
}

/// The error of a keyword with a bad value.
pub fn refused(name: &str, why: &impl ToString) -> PyErr {
    PyValueError::new_err(format!("{name}: {}", why.to_string()))
}
