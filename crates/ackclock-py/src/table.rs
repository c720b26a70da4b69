//! Tables as Python gets them: columns of the Arrow format, which data-frame libraries take without copying them.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::ffi::to_ffi;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch, RecordBatchIterator,
    StringArray, StructArray,
};
use arrow_buffer::{BooleanBuffer, NullBuffer, ScalarBuffer};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use pyo3::exceptions::{PyAttributeError, PyIndexError, PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyList, PyTuple};

/// A column before it is one of a table.
pub struct Made {
    pub name: String,
    pub unit: String,
    pub about: String,
    pub values: ArrayRef,
}

/// Names, few and often repeated.
pub fn names<'a>(names: impl Iterator<Item = &'a str>) -> ArrayRef {
    Arc::new(names.collect::<DictionaryArray<Int32Type>>())
}

/// Names, each with how often it comes in a row.
pub fn runs_of_names(runs: &[(&str, usize)]) -> ArrayRef {
    let mut places: HashMap<&str, i32> = HashMap::new();
    let mut distinct: Vec<&str> = Vec::new();
    let mut keys: Vec<i32> = Vec::with_capacity(runs.iter().map(|run| run.1).sum());
    for (name, times) in runs {
        let place = *places.entry(name).or_insert_with(|| {
            distinct.push(name);
            distinct.len() as i32 - 1
        });
        keys.resize(keys.len() + times, place);
    }
    Arc::new(DictionaryArray::new(Int32Array::from(keys), Arc::new(StringArray::from(distinct))))
}

/// A column of whole numbers, one on every row.
pub fn integers(numbers: Vec<i64>) -> ArrayRef {
    Arc::new(Int64Array::from(numbers))
}

/// A column of numbers, one on every row; they are taken over, not copied.
pub fn numbers(numbers: Vec<f64>) -> ArrayRef {
    Arc::new(Float64Array::new(ScalarBuffer::from(numbers), None))
}

/// A column of numbers, with nothing on some rows. `None` if there is no number at all.
pub fn optional(values: &[Option<f64>]) -> Option<ArrayRef> {
    let present = BooleanBuffer::from_iter(values.iter().map(Option::is_some));
    let count = present.count_set_bits();
    let nulls = (count < values.len()).then(|| NullBuffer::new(present));
    let numbers: Vec<f64> = values.iter().map(|value| value.unwrap_or(0.0)).collect();
    (count > 0 || values.is_empty()).then(|| Arc::new(Float64Array::new(numbers.into(), nulls)) as ArrayRef)
}

/// A table: named columns of equal length, each with a unit and a meaning.
///
/// Every library that reads the Arrow PyCapsule interface takes it without a copy: `polars.DataFrame(table)`,
/// `pyarrow.table(table)`, and `duckdb` finds it by its name. `pandas.DataFrame.from_arrow(table)` copies numbers once.
#[pyclass(frozen, module = "ackclock")]
pub struct Table {
    batch: RecordBatch,
}

impl Table {
    /// A table of columns that are equally long.
    pub fn of(columns: Vec<Made>) -> Table {
        let fields = columns.iter().map(|column| {
            let about = [("unit", &column.unit), ("about", &column.about)];
            let metadata = about.into_iter().map(|(key, text)| (key.to_owned(), text.clone())).collect();
            Field::new(&column.name, column.values.data_type().clone(), true).with_metadata(metadata)
        });
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let values = columns.into_iter().map(|column| column.values).collect();
        Table { batch: RecordBatch::try_new(schema, values).expect("the columns of a table are equally long") }
    }

    fn metadata(&self, key: &str) -> HashMap<String, String> {
        let of = |field: &Arc<Field>| (field.name().clone(), field.metadata().get(key).cloned().unwrap_or_default());
        self.batch.schema().fields().iter().map(of).collect()
    }

    fn column(&self, name: &str) -> PyResult<Column> {
        let names = || self.batch.schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
        let values = self.batch.column_by_name(name);
        let values = values.ok_or_else(|| {
            PyKeyError::new_err(format!("the table has no column {name:?}; it has {}", names().join(", ")))
        })?;
        Ok(Column { values: values.clone() })
    }
}

#[pymethods]
impl Table {
    /// The names of the columns, in order.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// Of each column its unit, "" for counts, shares and names.
    #[getter]
    fn units(&self) -> HashMap<String, String> {
        self.metadata("unit")
    }

    /// Of each column what it means, in a sentence.
    #[getter]
    fn about(&self) -> HashMap<String, String> {
        self.metadata("about")
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// The column of this name. A name that is not there raises KeyError with those that are.
    fn __getitem__(&self, name: &str) -> PyResult<Column> {
        self.column(name)
    }

    fn __contains__(&self, name: &str) -> bool {
        self.batch.column_by_name(name).is_some()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyList::new(py, self.columns())?.try_iter()?.into_any())
    }

    /// The names of the columns, as a mapping has keys.
    fn keys(&self) -> Vec<String> {
        self.columns()
    }

    /// A dictionary of lists: what every data-frame library takes, and plain Python.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for name in self.columns() {
            dict.set_item(&name, self.column(&name)?.to_list(py)?)?;
        }
        Ok(dict)
    }

    /// The rows, each as a dictionary.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let names = self.columns();
        let columns = names.iter().map(|name| self.column(name)).collect::<PyResult<Vec<_>>>()?;
        let rows = (0..self.batch.num_rows()).map(|row| {
            let dict = PyDict::new(py);
            for (name, column) in names.iter().zip(&columns) {
                dict.set_item(name, column.value(py, row)?)?;
            }
            Ok(dict)
        });
        PyList::new(py, rows.collect::<PyResult<Vec<_>>>()?)
    }

    /// The schema as a capsule of the Arrow PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.batch.schema().as_ref()).map_err(refused)?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// The table as a capsule of the Arrow PyCapsule interface. Nothing is copied, and another schema is not made: the consumer casts.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let batches = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), c"arrow_array_stream")
    }

    /// The table as one array of structures: what readers without streams take.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema;
        capsules(py, &StructArray::from(self.batch.clone()))
    }

    fn _repr_html_<'py>(slf: Bound<'py, Table>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("ackclock._html")?.call_method1("table", (slf,))
    }

    fn __repr__(&self) -> String {
        format!("Table({} rows: {})", self.batch.num_rows(), self.columns().join(", "))
    }
}

/// A column of a table. `polars.Series(column)` and `pyarrow.array(column)` take it without a copy, and so does `numpy.asarray(column)` if it
/// has numbers on every row; `list(column)` takes it, too.
#[pyclass(frozen, module = "ackclock")]
pub struct Column {
    values: ArrayRef,
}

impl Column {
    fn value<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyAny>> {
        let values = &self.values;
        if values.is_null(row) {
            return Ok(py.None().into_bound(py));
        }
        if let Some(numbers) = values.as_any().downcast_ref::<Float64Array>() {
            return Ok(numbers.value(row).into_pyobject(py)?.into_any());
        }
        if let Some(numbers) = values.as_any().downcast_ref::<Int64Array>() {
            return Ok(numbers.value(row).into_pyobject(py)?.into_any());
        }
        let texts = values.as_any().downcast_ref::<DictionaryArray<Int32Type>>().expect("other columns are of names");
        let text = texts.values().as_any().downcast_ref::<StringArray>().expect("names are texts");
        Ok(text.value(texts.keys().value(row) as usize).into_pyobject(py)?.into_any())
    }
}

#[pymethods]
impl Column {
    fn __len__(&self) -> usize {
        self.values.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, row: isize) -> PyResult<Bound<'py, PyAny>> {
        let rows = self.values.len() as isize;
        let place = if row < 0 { row + rows } else { row };
        if !(0..rows).contains(&place) {
            return Err(PyIndexError::new_err(format!("row {row} of a column of {rows}")));
        }
        self.value(py, place as usize)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.to_list(py)?.try_iter()?.into_any())
    }

    /// The values as a list; what is not there is None.
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let values = (0..self.values.len()).map(|row| self.value(py, row)).collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, values)
    }

    /// The numbers as bytes of 64-bit floating-point numbers in the order of this machine, NaN where nothing is there.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes: Vec<u8> = match self.values.data_type() {
            DataType::Float64 => {
                let numbers = self.values.as_any().downcast_ref::<Float64Array>().expect("it is one of numbers");
                match numbers.nulls() {
                    None => return Ok(PyBytes::new(py, numbers.values().inner().as_slice())),
                    Some(_) => numbers.iter().flat_map(|value| value.unwrap_or(f64::NAN).to_ne_bytes()).collect(),
                }
            }
            DataType::Int64 => {
                let numbers = self.values.as_any().downcast_ref::<Int64Array>().expect("it is one of whole numbers");
                numbers.iter().flat_map(|value| value.map_or(f64::NAN, |value| value as f64).to_ne_bytes()).collect()
            }
            _ => return Err(PyValueError::new_err("a column of names has no numbers; take its to_list()")),
        };
        Ok(PyBytes::new(py, &bytes))
    }

    /// Where the numbers are: numpy reads them there, without a copy, and may not write. A column of names, and one in which numbers are
    /// missing, has no such place.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let values = &self.values;
        let place = match values.data_type() {
            _ if values.null_count() > 0 => None,
            DataType::Float64 => {
                let numbers = values.as_any().downcast_ref::<Float64Array>();
                numbers.map(|numbers| ("f8", numbers.values().as_ptr().addr()))
            }
            DataType::Int64 => {
                let numbers = values.as_any().downcast_ref::<Int64Array>();
                numbers.map(|numbers| ("i8", numbers.values().as_ptr().addr()))
            }
            _ => None,
        };
        let (kind, place) = place.ok_or_else(|| PyAttributeError::new_err("__array_interface__"))?;
        let order = if cfg!(target_endian = "little") { '<' } else { '>' };
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("typestr", format!("{order}{kind}"))?;
        interface.set_item("shape", (values.len(),))?;
        let is_readonly = true;
        interface.set_item("data", (place, is_readonly))?;
        Ok(interface)
    }

    /// What of a column has no place for numpy, as an array of numpy: of objects for names, of numbers with NaN for what is missing.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(false) {
            let wrong = "numpy has to copy names, and a column in which numbers are missing; take it through Arrow";
            return Err(PyValueError::new_err(wrong));
        }
        let numpy = py.import("numpy")?;
        let array = match self.values.data_type() {
            DataType::Float64 | DataType::Int64 => numpy.call_method1("frombuffer", (self.to_bytes(py)?,))?,
            _ => numpy.call_method1("array", (self.to_list(py)?, "object"))?,
        };
        match dtype {
            Some(dtype) => array.call_method1("astype", (dtype,)),
            None => Ok(array),
        }
    }

    /// The type of the values as a capsule of the Arrow PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.values.data_type()).map_err(refused)?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// The column as capsules of the Arrow PyCapsule interface, without a copy.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema;
        capsules(py, &self.values)
    }

    fn __repr__(&self) -> String {
        format!("Column({} values, {})", self.values.len(), self.values.data_type())
    }
}

fn capsules<'py>(py: Python<'py>, array: &dyn Array) -> PyResult<Bound<'py, PyTuple>> {
    let (array, schema) = to_ffi(&array.to_data()).map_err(refused)?;
    let schema = PyCapsule::new_with_value(py, schema, c"arrow_schema")?;
    let array = PyCapsule::new_with_value(py, array, c"arrow_array")?;
    PyTuple::new(py, [schema, array])
}

fn refused(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}
