//! Gives the functions, types and imports of a wasm module other numbers, and thereby another
//! order. The module stays the same program. Its custom sections are dropped, because they name
//! functions by number, too.

use wasm_encoder::reencode::{Error, Reencode};
use wasm_encoder::{CodeSection, FunctionSection, ImportSection, Module, TypeSection};
use wasmparser::{
    CodeSectionReader, CustomSectionReader, FunctionSectionReader, ImportSectionReader, Parser,
    TypeSectionReader,
};

/// The message of bytes that are not a module.
pub fn unreadable(error: wasmparser::BinaryReaderError) -> String {
    format!("the module cannot be read: {error}")
}

/// Writes a module with other numbers.
///
/// Each list has the new indices of the module's own things, in the order of the old ones. Those of
/// functions begin behind the imported ones.
pub struct Order {
    pub types: Vec<usize>,
    pub imports: Vec<usize>,
    /// Those that are not imported.
    pub functions: Vec<usize>,
}

impl Order {
    /// The module with these numbers.
    ///
    /// # Errors
    /// A message for bytes that are not a module.
    pub fn written(&mut self, wasm: &[u8]) -> crate::Result<Vec<u8>> {
        let mut module = Module::new();
        self.parse_core_module(&mut module, Parser::new(0), wasm)
            .map_err(|error| format!("the module cannot be ordered: {error}"))?;
        Ok(module.finish())
    }

    fn imported(&self) -> usize {
        self.imports.len()
    }
}

/// The things in the order of their new indices.
fn sorted<T>(things: impl Iterator<Item = T>, indices: &[usize]) -> Vec<T> {
    let mut numbered: Vec<(&usize, T)> = indices.iter().zip(things).collect();
    numbered.sort_by_key(|(index, _)| **index);
    numbered.into_iter().map(|(_, thing)| thing).collect()
}

type Written = Result<(), Error>;

#[allow(clippy::cast_possible_truncation, reason = "modules count functions and types with 32 bits")]
impl Reencode for Order {
    type Error = std::convert::Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, Error> {
        let at = function as usize;
        let index = match at.checked_sub(self.imported()) {
            Some(own) => self.functions[own],
            None => self.imports[at],
        };
        Ok(index as u32)
    }

    fn type_index(&mut self, ty: u32) -> Result<u32, Error> {
        Ok(self.types[ty as usize] as u32)
    }

    fn parse_type_section(&mut self, types: &mut TypeSection, read: TypeSectionReader<'_>) -> Written {
        let groups = read.into_iter().collect::<Result<Vec<_>, _>>()?;
        sorted(groups.into_iter(), &self.types)
            .into_iter()
            .try_for_each(|group| self.parse_recursive_type_group(types.ty(), group))
    }

    fn parse_import_section(
        &mut self,
        imports: &mut ImportSection,
        read: ImportSectionReader<'_>,
    ) -> Written {
        let all = read.into_imports().collect::<Result<Vec<_>, _>>()?;
        sorted(all.into_iter(), &self.imports)
            .into_iter()
            .try_for_each(|import| self.parse_import(imports, import))
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        read: FunctionSectionReader<'_>,
    ) -> Written {
        let types = read.into_iter().collect::<Result<Vec<_>, _>>()?;
        for ty in sorted(types.into_iter(), &self.functions) {
            functions.function(self.type_index(ty)?);
        }
        Ok(())
    }

    fn parse_code_section(&mut self, code: &mut CodeSection, read: CodeSectionReader<'_>) -> Written {
        let bodies = read.into_iter().collect::<Result<Vec<_>, _>>()?;
        sorted(bodies.into_iter(), &self.functions)
            .into_iter()
            .try_for_each(|body| self.parse_function_body(code, body))
    }

    fn parse_custom_section(&mut self, _module: &mut Module, _read: CustomSectionReader<'_>) -> Written {
        Ok(())
    }
}
