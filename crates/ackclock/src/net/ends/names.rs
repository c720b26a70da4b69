//! Names of many things, compactly.

/// Names, one after the other.
pub(in crate::net) struct Names {
    text: String,
    ends: Vec<u32>,
}

impl Names {
    /// How many there are.
    pub(in crate::net) fn len(&self) -> usize {
        self.ends.len()
    }

    /// One of them, by its number.
    pub(in crate::net) fn get(&self, number: usize) -> &str {
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.text[start as usize..self.ends[number] as usize]
    }
}

impl<'a> FromIterator<&'a str> for Names {
    fn from_iter<I: IntoIterator<Item = &'a str>>(names: I) -> Names {
        let mut all = Names { text: String::new(), ends: Vec::new() };
        for name in names {
            all.text.push_str(name);
            all.ends.push(u32::try_from(all.text.len()).expect("less than 4 GB of names"));
        }
        all.text.shrink_to_fit();
        all.ends.shrink_to_fit();
        all
    }
}
