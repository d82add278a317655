//! One module of LLVM while it is being written: types, metadata, attributes, and the functions in it.

use std::cell::{OnceCell, RefCell};

use inkwell::AddressSpace;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::context::Context;
use inkwell::intrinsics::Intrinsic;
use inkwell::module::{Linkage, Module as LlvmModule};
use inkwell::targets::TargetMachine;
use inkwell::types::{BasicMetadataTypeEnum, BasicTypeEnum, FloatType, FunctionType, IntType, PointerType, StructType};
use inkwell::values::{FunctionValue, PointerValue, UnnamedAddress};
use snekpy_stage::entity::{Entity, FuncId};
use snekpy_stage::ir::{Function, Module};
use snekpy_stage::tensor::Constant;
use snekpy_stage::types::{Elem, Type};

use super::meta::Meta;
use super::nest::Form;
use super::stored::stored_type;
use crate::fault::Result;

/// LLVM's number of the calling convention that it may choose itself.
pub(crate) const FAST_CC: u32 = 8;

/// What the attribute `memory` of LLVM says of a function that reads any memory and writes none: 1 in the two bits of
/// each of its kinds of memory.
const READS: u64 = 0b01_01_01;

/// How the names begin of functions that those of a module call, and that can be compiled apart from them. No function of
/// the program has such a name.
pub(crate) fn helpers(entry: &str) -> String {
    format!("{entry}.")
}

/// How to write the module.
pub(crate) struct Style<'a> {
    /// For which machine: its sizes and alignments.
    pub(crate) machine: &'a TargetMachine,
    /// The name of the entry; on another processor, of the main function.
    pub(crate) entry: &'a str,
    /// Whether floats may be computed in other ways than written.
    pub(crate) fast: bool,
    /// Whether this is for another processor than the host's.
    pub(crate) device: bool,
    /// Bytes of the vectors that elements of tensors are computed in.
    pub(crate) vector: u32,
    /// Whether groups of operations on tensors are left to the host.
    pub(crate) leaves_nests: bool,
    /// Whether values keep their names. They cost time, and only people read them.
    pub(crate) named: bool,
}

/// The types in use.
pub(crate) struct Types<'ctx> {
    pub(crate) i1: IntType<'ctx>,
    pub(crate) i8: IntType<'ctx>,
    pub(crate) i32: IntType<'ctx>,
    pub(crate) i64: IntType<'ctx>,
    pub(crate) f32: FloatType<'ctx>,
    pub(crate) f64: FloatType<'ctx>,
    pub(crate) ptr: PointerType<'ctx>,
}

/// One module of LLVM while it is being written.
pub(crate) struct Unit<'a, 'ctx> {
    pub(crate) llcx: &'ctx Context,
    pub(crate) ir: &'a Module,
    pub(crate) types: Types<'ctx>,
    pub(crate) meta: Meta<'ctx>,
    pub(crate) fast: bool,
    pub(crate) named: bool,
    /// Bytes of the vectors that elements of tensors are computed in.
    pub(crate) vector: u32,
    pub(crate) leaves_nests: bool,
    /// Whether the context has a table of tensors: where there are nests.
    pub(crate) has_table: bool,
    module: LlvmModule<'ctx>,
    /// What the host calls, which is not there on another processor.
    entry: Option<FunctionValue<'ctx>>,
    /// The name of it, or of the main function there.
    main: &'a str,
    funcs: RefCell<Vec<Option<FunctionValue<'ctx>>>>,
    /// What counts one owner less, and one more, of an object.
    counting: [OnceCell<FunctionValue<'ctx>>; 2],
    /// What carries out groups of operations on tensors, by form.
    nests: RefCell<Vec<(Form, FunctionValue<'ctx>)>>,
    /// What asks the host for tensors, by the types of what it is given.
    asking: RefCell<Vec<(Vec<BasicTypeEnum<'ctx>>, FunctionValue<'ctx>)>>,
    intrinsics: RefCell<Vec<(&'static str, BasicTypeEnum<'ctx>, FunctionValue<'ctx>)>>,
}

impl<'a, 'ctx> Unit<'a, 'ctx> {
    pub(crate) fn new(llcx: &'ctx Context, ir: &'a Module, style: &Style<'a>) -> Self {
        let types = Types {
            i1: llcx.bool_type(),
            i8: llcx.i8_type(),
            i32: llcx.i32_type(),
            i64: llcx.i64_type(),
            f32: llcx.f32_type(),
            f64: llcx.f64_type(),
            ptr: llcx.ptr_type(AddressSpace::default()),
        };
        let module = llcx.create_module("snekpy");
        module.set_triple(&style.machine.get_triple());
        module.set_data_layout(&style.machine.get_target_data().get_data_layout());
        let entry = (!style.device).then(|| {
            let entry_type = types.i64.fn_type(&[types.ptr.into(); 3], false);
            module.add_function(style.entry, entry_type, None)
        });
        let funcs = RefCell::new(vec![None; ir.funcs.len()]);
        let unit = Self {
            llcx,
            ir,
            meta: Meta::new(llcx),
            types,
            fast: style.fast,
            named: style.named,
            vector: style.vector,
            leaves_nests: style.leaves_nests,
            has_table: !style.leaves_nests && ir.hosts.values().any(|it| it.nest),
            module,
            entry,
            main: style.entry,
            funcs,
            counting: Default::default(),
            nests: RefCell::default(),
            asking: RefCell::default(),
            intrinsics: RefCell::default(),
        };
        if let Some(entry) = entry {
            unit.describe(entry);
            unit.describe_context(entry);
            for param in [1, 2] {
                unit.mark_param(entry, param, "nonnull", 0);
            }
        }
        unit
    }

    /// The written module.
    pub(crate) fn finish(self) -> LlvmModule<'ctx> {
        self.module
    }

    /// What the host calls.
    pub(crate) fn entry(&self) -> FunctionValue<'ctx> {
        self.entry.expect("only code of the host has an entry")
    }

    /// The types of the parts of a value of this type.
    pub(crate) fn parts(&self, ty: Type) -> impl Iterator<Item = BasicTypeEnum<'ctx>> + use<'ctx> {
        let (first, second): (BasicTypeEnum<'ctx>, Option<BasicTypeEnum<'ctx>>) = match ty {
            Type::Bool => (self.types.i1.into(), None),
            Type::I64 | Type::Object(_) | Type::Tensor(_) => (self.types.i64.into(), None),
            Type::F64 => (self.types.f64.into(), None),
            Type::List(_) | Type::Map(_) => (self.types.ptr.into(), None),
            Type::Array(_) => (self.types.ptr.into(), Some(self.types.i64.into())),
        };
        std::iter::once(first).chain(second)
    }

    /// How an element is stored.
    pub(crate) fn stored(&self, elem: Elem) -> BasicTypeEnum<'ctx> {
        stored_type(self.llcx, elem)
    }

    /// What a function of the module returns: the status, then the parts of its results.
    pub(crate) fn returned(&self, func: &Function) -> StructType<'ctx> {
        let mut fields = vec![self.types.i64.into()];
        fields.extend(func.results.iter().flat_map(|&ty| self.parts(ty)));
        self.llcx.struct_type(&fields, false)
    }

    /// A function of the module: context, calls that may still be nested, parts of its parameters.
    pub(crate) fn function(&self, id: FuncId) -> FunctionValue<'ctx> {
        if let Some(known) = self.funcs.borrow()[id.index()] {
            return known;
        }
        let func = &self.ir.funcs[id];
        let mut params: Vec<BasicMetadataTypeEnum> = match self.entry {
            Some(_) => vec![self.types.ptr.into(), self.types.i64.into()],
            None => Vec::new(),
        };
        let hidden = params.len() as u32;
        let name = if self.entry.is_none() && id == self.ir.main() { self.main } else { &func.name };
        params.extend(func.param_types().into_iter().flat_map(|ty| self.parts(ty)).map(BasicMetadataTypeEnum::from));
        let ty = self.returned(func).fn_type(&params, false);
        let declared = self.module.add_function(name, ty, Some(Linkage::Internal));
        declared.as_global_value().set_unnamed_address(UnnamedAddress::Global);
        self.describe(declared);
        if self.entry.is_some() {
            declared.set_call_conventions(FAST_CC);
            self.describe_context(declared);
        }
        let mut position = hidden;
        for ty in func.param_types() {
            if let Type::Array(array) = ty {
                self.mark_param(declared, position, "nonnull", 0);
                let bytes = array.len.unwrap_or(0).saturating_mul(array.elem.size() as u64);
                if bytes > 0 {
                    self.mark_param(declared, position, "dereferenceable", bytes);
                }
            }
            position += self.parts(ty).count() as u32;
        }
        self.funcs.borrow_mut()[id.index()] = Some(declared);
        declared
    }

    /// A function that functions of the module call, which can be compiled apart from them: see [`helpers`].
    fn helper(&self, name: &str, ty: FunctionType<'ctx>) -> FunctionValue<'ctx> {
        let name = format!("{}{name}", helpers(self.main));
        let function = self.module.add_function(&name, ty, Some(Linkage::Internal));
        self.describe(function);
        self.describe_context(function);
        function.set_call_conventions(FAST_CC);
        function.add_attribute(AttributeLoc::Function, self.attribute("noinline", 0));
        function
    }

    /// The function that counts an owner more of an object, or one less, which `write` writes.
    pub(crate) fn counting(
        &self,
        more: bool,
        write: impl FnOnce(FunctionValue<'ctx>) -> Result<()>,
    ) -> Result<FunctionValue<'ctx>> {
        if let Some(&known) = self.counting[usize::from(more)].get() {
            return Ok(known);
        }
        let ty = self.llcx.void_type().fn_type(&[self.types.ptr.into(), self.types.i64.into()], false);
        let function = self.helper(if more { "retain" } else { "release" }, ty);
        write(function)?;
        Ok(*self.counting[usize::from(more)].get_or_init(|| function))
    }

    /// The function that asks the host for a tensor and is given these: context, number of the host's function, arguments.
    /// `write` writes it, if there is none yet.
    pub(crate) fn asking(
        &self,
        given: Vec<BasicTypeEnum<'ctx>>,
        write: impl FnOnce(&Vec<BasicTypeEnum<'ctx>>, FunctionValue<'ctx>) -> Result<()>,
    ) -> Result<FunctionValue<'ctx>> {
        let params = given.clone();
        self.giving_a_handle(&self.asking, "ask", given, params, write)
    }

    /// The function that carries out groups of operations on tensors of a form: context, place, operands. `write` writes it,
    /// if there is none yet.
    pub(crate) fn nest(
        &self,
        form: Form,
        write: impl FnOnce(&Form, FunctionValue<'ctx>) -> Result<()>,
    ) -> Result<FunctionValue<'ctx>> {
        let params = form.params().flat_map(|ty| self.parts(ty)).collect();
        self.giving_a_handle(&self.nests, "nest", form, params, write)
    }

    /// The helper among those known that is for this, or one that `write` writes: it takes the context, a number and these,
    /// and gives a handle.
    fn giving_a_handle<T: PartialEq>(
        &self,
        known: &RefCell<Vec<(T, FunctionValue<'ctx>)>>,
        name: &str,
        wanted: T,
        params: Vec<BasicTypeEnum<'ctx>>,
        write: impl FnOnce(&T, FunctionValue<'ctx>) -> Result<()>,
    ) -> Result<FunctionValue<'ctx>> {
        if let Some((_, function)) = known.borrow().iter().find(|(it, _)| *it == wanted) {
            return Ok(*function);
        }
        let mut all: Vec<BasicMetadataTypeEnum> = vec![self.types.ptr.into(), self.types.i64.into()];
        all.extend(params.into_iter().map(BasicMetadataTypeEnum::from));
        let function = self.helper(name, self.types.i64.fn_type(&all, false));
        write(&wanted, function)?;
        known.borrow_mut().push((wanted, function));
        Ok(function)
    }

    /// Elements that are known, in memory.
    pub(crate) fn elements(&self, of: &Constant) -> PointerValue<'ctx> {
        let bytes: Vec<u8> =
            of.bits().into_iter().flat_map(|it| it.to_le_bytes().into_iter().take(of.dtype().size())).collect();
        let text = self.llcx.const_string(&bytes, false);
        let global = self.module.add_global(text.get_type(), None, "elements");
        global.set_initializer(&text);
        global.set_linkage(Linkage::Private);
        global.set_constant(true);
        global.set_unnamed_address(UnnamedAddress::Global);
        global.set_alignment(64);
        global.as_pointer_value()
    }

    /// A function of the runtime that gives nothing: it reads and writes what it is given the addresses of.
    pub(crate) fn procedure(&self, name: &'static str, params: &[BasicMetadataTypeEnum<'ctx>]) -> FunctionValue<'ctx> {
        self.module.get_function(name).unwrap_or_else(|| {
            let declared = self.module.add_function(name, self.llcx.void_type().fn_type(params, false), None);
            for name in ["nounwind", "willreturn"] {
                declared.add_attribute(AttributeLoc::Function, self.attribute(name, 0));
            }
            declared
        })
    }

    /// A function of the runtime on these types, whose result depends on nothing but its arguments.
    pub(crate) fn runtime(
        &self,
        name: &'static str,
        params: &[BasicMetadataTypeEnum<'ctx>],
        result: BasicTypeEnum<'ctx>,
    ) -> FunctionValue<'ctx> {
        self.declare(name, params, result, &[("nounwind", 0), ("willreturn", 0), ("nofree", 0), ("memory", 0)])
    }

    /// A function of the runtime on these types that reads memory, or changes it.
    pub(crate) fn memory_runtime(
        &self,
        name: &'static str,
        params: &[BasicMetadataTypeEnum<'ctx>],
        result: BasicTypeEnum<'ctx>,
        only_reads: bool,
    ) -> FunctionValue<'ctx> {
        let reads = [("nounwind", 0), ("willreturn", 0), ("nofree", 0), ("memory", READS)];
        let changes = [("nounwind", 0), ("willreturn", 0)];
        self.declare(name, params, result, if only_reads { &reads } else { &changes })
    }

    fn declare(
        &self,
        name: &'static str,
        params: &[BasicMetadataTypeEnum<'ctx>],
        result: BasicTypeEnum<'ctx>,
        attributes: &[(&str, u64)],
    ) -> FunctionValue<'ctx> {
        if let Some(known) = self.module.get_function(name) {
            return known;
        }
        let ty = match result {
            BasicTypeEnum::FloatType(it) => it.fn_type(params, false),
            BasicTypeEnum::IntType(it) => it.fn_type(params, false),
            BasicTypeEnum::StructType(it) => it.fn_type(params, false),
            other => unreachable!("no function of the runtime returns {other}"),
        };
        let declared = self.module.add_function(name, ty, None);
        for &(name, value) in attributes {
            declared.add_attribute(AttributeLoc::Function, self.attribute(name, value));
        }
        declared
    }

    /// An intrinsic that is overloaded on one type.
    pub(crate) fn intrinsic(&self, name: &'static str, ty: BasicTypeEnum<'ctx>) -> FunctionValue<'ctx> {
        let mut known = self.intrinsics.borrow_mut();
        if let Some(&(_, _, func)) = known.iter().find(|it| it.0 == name && it.1 == ty) {
            return func;
        }
        let found = Intrinsic::find(name).and_then(|it| it.get_declaration(&self.module, &[ty]));
        let func = found.expect("the names are in our source and known to this version of LLVM");
        known.push((name, ty, func));
        func
    }

    /// An intrinsic that is overloaded on these types.
    pub(crate) fn overloaded(&self, name: &'static str, types: &[BasicTypeEnum<'ctx>]) -> FunctionValue<'ctx> {
        let found = Intrinsic::find(name).and_then(|it| it.get_declaration(&self.module, types));
        found.expect("this version of LLVM has the intrinsic")
    }

    /// The conversion of a double to an integer that is never undefined: overloaded on both types.
    pub(crate) fn saturating(&self) -> FunctionValue<'ctx> {
        self.overloaded("llvm.fptosi.sat", &[self.types.i64.into(), self.types.f64.into()])
    }

    /// The intrinsic that says that a condition holds.
    pub(crate) fn assume(&self) -> FunctionValue<'ctx> {
        self.overloaded("llvm.assume", &[])
    }

    /// An attribute of LLVM by name, with a value where it has one.
    pub(crate) fn attribute(&self, name: &str, value: u64) -> Attribute {
        self.llcx.create_enum_attribute(Attribute::get_named_enum_kind_id(name), value)
    }

    fn mark_param(&self, func: FunctionValue<'ctx>, param: u32, name: &str, value: u64) {
        func.add_attribute(AttributeLoc::Param(param), self.attribute(name, value));
    }

    /// What is true of every function that we write.
    fn describe(&self, func: FunctionValue<'ctx>) {
        func.add_attribute(AttributeLoc::Function, self.attribute("nounwind", 0));
        if self.entry.is_some() {
            // An unwind table for every instruction, so that a profiler or debugger sees past the function.
            func.add_attribute(AttributeLoc::Function, self.attribute("uwtable", 2));
        }
    }

    /// The first parameter is the context, which nobody else reaches.
    fn describe_context(&self, func: FunctionValue<'ctx>) {
        let size = size_of::<snekpy_stage::backend::Context>() as u64;
        for (name, value) in [("nonnull", 0), ("align", 8), ("dereferenceable", size)] {
            self.mark_param(func, 0, name, value);
        }
    }
}
