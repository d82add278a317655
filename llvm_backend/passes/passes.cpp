// Runs the passes that `pipeline.rs` names, in LLVM's own notation.
//
// `LLVMRunPasses` would do the same, but knows every pass there is by name, and links them all: twelve megabytes of
// the command. Here the passes are those of the table; analyses are registered by LLVM's `PassBuilder`, so none that a
// pass asks for can be missing.

#include "llvm-c/Error.h"
#include "llvm-c/TargetMachine.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Inliner.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/BDCE.h"
#include "llvm/Transforms/Scalar/CorrelatedValuePropagation.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/InductiveRangeCheckElimination.h"
#include "llvm/Transforms/Scalar/InferAlignment.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopIdiomRecognize.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopSimplifyCFG.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SCCP.h"
#include "llvm/Transforms/Scalar/SimpleLoopUnswitch.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Mem2Reg.h"
#include "llvm/Transforms/Vectorize/LoopVectorize.h"
#include "llvm/Transforms/Vectorize/SLPVectorizer.h"
#include "llvm/Transforms/Vectorize/VectorCombine.h"

using namespace llvm;

namespace {

// A name, with its parameters, and what it adds to a manager.
template <typename Manager> struct Row {
  StringLiteral Name;
  void (*Add)(Manager &);
};

const Row<LoopPassManager> LoopPasses[] = {
    {"indvars", [](auto &PM) { PM.addPass(IndVarSimplifyPass()); }},
    {"licm", [](auto &PM) { PM.addPass(LICMPass(LICMOptions())); }},
    {"loop-deletion", [](auto &PM) { PM.addPass(LoopDeletionPass()); }},
    {"loop-idiom", [](auto &PM) { PM.addPass(LoopIdiomRecognizePass()); }},
    {"loop-rotate<header-duplication>", [](auto &PM) { PM.addPass(LoopRotatePass()); }},
    {"loop-simplifycfg", [](auto &PM) { PM.addPass(LoopSimplifyCFGPass()); }},
    {"loop-unroll-full", [](auto &PM) { PM.addPass(LoopFullUnrollPass()); }},
    {"simple-loop-unswitch<no-nontrivial;trivial>",
     [](auto &PM) { PM.addPass(SimpleLoopUnswitchPass(/*NonTrivial=*/false, /*Trivial=*/true)); }},
};

const Row<FunctionPassManager> FunctionPasses[] = {
    {"bdce", [](auto &PM) { PM.addPass(BDCEPass()); }},
    {"correlated-propagation", [](auto &PM) { PM.addPass(CorrelatedValuePropagationPass()); }},
    {"dse", [](auto &PM) { PM.addPass(DSEPass()); }},
    {"early-cse", [](auto &PM) { PM.addPass(EarlyCSEPass()); }},
    {"early-cse<memssa>", [](auto &PM) { PM.addPass(EarlyCSEPass(/*UseMemorySSA=*/true)); }},
    {"gvn", [](auto &PM) { PM.addPass(GVNPass()); }},
    {"infer-alignment", [](auto &PM) { PM.addPass(InferAlignmentPass()); }},
    {"instcombine<no-verify-fixpoint>", [](auto &PM) { PM.addPass(InstCombinePass()); }},
    {"instsimplify", [](auto &PM) { PM.addPass(InstSimplifyPass()); }},
    {"irce", [](auto &PM) { PM.addPass(IRCEPass()); }},
    {"loop-unroll", [](auto &PM) { PM.addPass(LoopUnrollPass()); }},
    {"loop-vectorize", [](auto &PM) { PM.addPass(LoopVectorizePass()); }},
    {"mem2reg", [](auto &PM) { PM.addPass(PromotePass()); }},
    {"sccp", [](auto &PM) { PM.addPass(SCCPPass()); }},
    {"simplifycfg", [](auto &PM) { PM.addPass(SimplifyCFGPass(SimplifyCFGOptions())); }},
    {"slp-vectorizer", [](auto &PM) { PM.addPass(SLPVectorizerPass()); }},
    {"vector-combine", [](auto &PM) { PM.addPass(VectorCombinePass()); }},
};

const Row<CGSCCPassManager> CallGraphPasses[] = {
    {"inline", [](auto &PM) { PM.addPass(InlinerPass()); }},
};

const Row<ModulePassManager> ModulePasses[] = {
    {"always-inline", [](auto &PM) { PM.addPass(AlwaysInlinerPass()); }},
    {"globaldce", [](auto &PM) { PM.addPass(GlobalDCEPass()); }},
};

ArrayRef<Row<LoopPassManager>> rows(const LoopPassManager &) { return LoopPasses; }
ArrayRef<Row<FunctionPassManager>> rows(const FunctionPassManager &) { return FunctionPasses; }
ArrayRef<Row<CGSCCPassManager>> rows(const CGSCCPassManager &) { return CallGraphPasses; }
ArrayRef<Row<ModulePassManager>> rows(const ModulePassManager &) { return ModulePasses; }

// Reads `pass,pass,manager(pass,...)`.
class Reader {
public:
  explicit Reader(StringRef Text) : Rest(Text) {}

  // The whole text.
  Error read(ModulePassManager &PM) {
    if (Error Failed = list(PM))
      return Failed;
    return Rest.empty() ? Error::success() : unknown(Rest);
  }

private:
  StringRef Rest;

  template <typename Manager> Error list(Manager &PM) {
    do {
      StringRef Name = Rest.take_until([](char It) { return It == ',' || It == '(' || It == ')'; });
      Rest = Rest.drop_front(Name.size());
      if (Error Failed = Rest.consume_front("(") ? nested(Name, PM) : single(Name, PM))
        return Failed;
    } while (Rest.consume_front(","));
    return Error::success();
  }

  template <typename Manager> Error single(StringRef Name, Manager &PM) {
    for (const Row<Manager> &It : rows(PM))
      if (It.Name == Name) {
        It.Add(PM);
        return Error::success();
      }
    return unknown(Name);
  }

  Error nested(StringRef Name, ModulePassManager &PM) {
    if (Name == "function")
      return inside<FunctionPassManager>(
          [&](auto &&It) { PM.addPass(createModuleToFunctionPassAdaptor(std::move(It))); });
    if (Name == "cgscc")
      return inside<CGSCCPassManager>(
          [&](auto &&It) { PM.addPass(createModuleToPostOrderCGSCCPassAdaptor(std::move(It))); });
    return unknown(Name);
  }

  Error nested(StringRef Name, FunctionPassManager &PM) {
    if (Name != "loop" && Name != "loop-mssa")
      return unknown(Name);
    bool UseMemorySSA = Name == "loop-mssa";
    return inside<LoopPassManager>(
        [&](auto &&It) { PM.addPass(createFunctionToLoopPassAdaptor(std::move(It), UseMemorySSA)); });
  }

  Error nested(StringRef Name, CGSCCPassManager &) { return unknown(Name); }
  Error nested(StringRef Name, LoopPassManager &) { return unknown(Name); }

  template <typename Manager, typename Add> Error inside(Add Added) {
    Manager PM;
    if (Error Failed = list(PM))
      return Failed;
    if (!Rest.consume_front(")"))
      return createStringError("a bracket of the pipeline is not closed");
    Added(std::move(PM));
    return Error::success();
  }

  static Error unknown(StringRef Name) {
    return createStringError("`" + Name + "` is no pass in the table of passes.cpp, where it is used");
  }
};

} // namespace

extern "C" LLVMErrorRef snekpy_run_passes(LLVMModuleRef Mod, const char *Passes, LLVMTargetMachineRef Machine) {
  ModulePassManager PM;
  if (Error Failed = Reader(Passes).read(PM))
    return wrap(std::move(Failed));
  LoopAnalysisManager Loops;
  FunctionAnalysisManager Functions;
  CGSCCAnalysisManager CallGraphs;
  ModuleAnalysisManager Modules;
  PassBuilder Builder(reinterpret_cast<TargetMachine *>(Machine));
  Builder.registerLoopAnalyses(Loops);
  Builder.registerFunctionAnalyses(Functions);
  Builder.registerCGSCCAnalyses(CallGraphs);
  Builder.registerModuleAnalyses(Modules);
  Builder.crossRegisterProxies(Loops, Functions, CallGraphs, Modules);
  PM.run(*unwrap(Mod), Modules);
  return LLVMErrorSuccess;
}

// Moves the functions whose names begin so into a module of their own, if there are any. Data goes into both.
extern "C" LLVMModuleRef snekpy_split(LLVMModuleRef Mod, const char *Prefix) {
  Module &All = *unwrap(Mod);
  auto IsApart = [&](const Function &It) { return !It.isDeclaration() && It.getName().starts_with(Prefix); };
  if (none_of(All, IsApart))
    return nullptr;
  for (Function &It : All)
    if (IsApart(It))
      It.setLinkage(GlobalValue::ExternalLinkage);
  ValueToValueMapTy Map;
  auto IsWhole = [&](const GlobalValue *It) {
    const auto *Func = dyn_cast<Function>(It);
    return !Func || IsApart(*Func);
  };
  std::unique_ptr<Module> Apart = CloneModule(All, Map, IsWhole);
  for (Function &It : All)
    if (IsApart(It))
      It.deleteBody();
  return wrap(Apart.release());
}
