// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/categories/memory_rules.h"

namespace riffle {

// The categories are those of torch.profiler's memory timeline, plus workspaces, communication and the KV cache of
// inference. Memory that a forward pass allocates and frees before any backward pass is temporary here, whether or not
// this happens inside one operator. Optimizers run a closure, if they get one, inside their step, so the stacks of the
// forward and backward passes of such a program contain the step.
std::string_view MemoryRules::builtInText()
{
    return R"json({
"comment": "Guesses by stack and lifetime; by size alone if nothing else is known. The first rule that applies counts. A category that the snapshot itself records takes precedence.",
"sets": {
  "workspace": ["at::cuda::getNewWorkspace*", "at::cuda::*Workspace*", "at::cuda::getCurrentCUDABlasHandle*", "*getCUDABlasLtWorkspace*"],
  "nccl": ["*ProcessGroupNCCL*", "*ncclComm*", "c10d::*", "*::c10d::*", "* @ */torch/distributed/distributed_c10d.py", "_ddp_init_helper @ *",
           "_alloc_storage @ */fsdp/*", "unshard* @ */fsdp/*", "foreach_all_gather* @ *", "foreach_reduce* @ *"],
  "kv_cache": ["*allocate*kv_cache* @ *", "initialize_kv_cache_tensors @ *", "*allocate* @ */cache_engine.py", "__init__ @ */sglang/srt/mem_cache/*",
               "*create_buffer* @ */sglang/srt/mem_cache/*", "_allocate_memory @ */megatron/*", "allocate_*tensors @ */megatron/core/inference/*",
               "update @ */transformers/cache_utils.py", "*initialization @ */transformers/cache_utils.py", "__init__ @ */transformers/cache_utils.py",
               "setup_caches @ *", "setup_cache @ *", "__init__ @ *kv_cache*.py"],
  "flat_buffers": ["__init__ @ */megatron/*grad_buffer.py"],
  "state": ["_init_group @ *", "init_state* @ *", "_init_state* @ *", "initialize_optimizer_states @ *", "load_state_dict @ */torch/optim/*",
            "_build_model_and_main_param_groups @ *", "__init__ @ */megatron/*optimizer/*.py", "_create_fp32_partitions @ */deepspeed/*"],
  "optimizer": ["step @ *optim*", "wrapper @ */torch/optim/optimizer.py", "_init_group @ *", "*adam* @ *optim*", "*_tensor_* @ */torch/optim/*", "step @ */deepspeed/*",
                "init_state* @ *optim*", "<range Optimizer.step#*>",
                "! closure @ *", "! forward @ *", "! _call_impl @ */torch/nn/modules/module.py", "! backward @ */torch/_tensor.py"],
  "zero_grad": ["zero_grad @ *", "<range Optimizer.zero_grad#*>"],
  "accumulate": ["torch::autograd::AccumulateGrad::*"],
  "backward": ["torch::autograd::Engine::*", "torch::autograd::python::PythonEngine::*", "_engine_run_backward @ *", "backward @ */torch/_tensor.py",
               "backward @ */torch/autograd/__init__.py", "<no frames>"],
  "replica": ["replicate @ */nn/parallel/*", "replicate @ */nn/data_parallel.py", "broadcast_coalesced @ */torch/nn/parallel/*", "_broadcast_coalesced_reshape @ *"],
  "scatter": ["scatter @ */nn/parallel/*", "scatter @ */nn/data_parallel.py", "scatter_kwargs @ *", "scatter_map @ */nn/parallel/*"],
  "recompute": ["* @ */torch/utils/checkpoint.py"],
  "loading": ["_apply @ */torch/nn/modules/module.py", "convert @ */torch/nn/modules/module.py", "to @ */torch/nn/modules/module.py", "cuda @ */torch/nn/modules/module.py",
              "__init__ @ */torch/nn/modules/*", "__init__ @ */torch/nn/parameter.py", "reset_parameters @ *", "*load_state_dict* @ *", "_load_from_state_dict @ *",
              "from_pretrained @ *", "_load_parameter_into_model @ *", "set_module_tensor_to_device @ *", "_init_weights @ *",
              "create_weights @ */vllm/*", "load_weights @ */vllm/*", "process_weights_after_loading @ *"],
  "construction": ["__init__ @ <module file>"],
  "forward": ["forward @ *", "_call_impl @ */torch/nn/modules/module.py", "cross_entropy @ *", "*_loss @ *", "torch::autograd::THPVariable_*_loss*"],
  "copy": ["at::_ops::to_*", "at::_ops::_to_copy::*", "at::_ops::copy_::*", "to @ *", "cuda @ *", "*collate* @ *", "get_batch* @ *", "send_to_device @ *", "_prepare_input* @ *"]
},
"rules": [
  {"name": "library workspace", "category": "workspace", "allocated_in": ["workspace"]},
  {"name": "buffer of a collective", "category": "communication", "allocated_in": ["nccl"]},
  {"name": "model copy that DataParallel makes for one forward pass", "category": "parameter_copy", "allocated_in": ["replica"], "not_allocated_in": ["backward"]},
  {"name": "part of a batch, scattered to a device", "category": "input", "allocated_in": ["scatter"], "not_allocated_in": ["backward"]},
  {"name": "KV cache", "category": "kv_cache", "allocated_in": ["kv_cache"], "not_allocated_in": ["backward"], "not_freed_in": ["backward"]},
  {"name": "Megatron's buffer of parameters, allocated before that of their gradients", "category": "parameter", "allocated_in": ["flat_buffers"], "continued": true},
  {"name": "Megatron's buffer of gradients", "category": "gradient", "allocated_in": ["flat_buffers"]},
  {"name": "freed inside the operator that allocated it", "category": "temporary", "same_call": true, "at_most_events": 1000},
  {"name": "allocated by the optimizer, kept until a later step", "category": "optimizer_state", "allocated_in": ["optimizer"], "freed_in": ["optimizer"],
   "not_allocated_in": ["backward"], "lives_through": ["backward"]},
  {"name": "allocated and freed by the optimizer", "category": "temporary", "allocated_in": ["optimizer"], "freed_in": ["optimizer"], "not_allocated_in": ["backward"]},
  {"name": "allocated and freed while the optimizer state is initialized", "category": "temporary", "allocated_in": ["state"], "freed_in": ["state"], "at_most_events": 1000},
  {"name": "allocated while the optimizer state is initialized", "category": "optimizer_state", "allocated_in": ["state"]},
  {"name": "allocated by the optimizer and kept", "category": "optimizer_state", "allocated_in": ["optimizer"], "not_allocated_in": ["backward"]},
  {"name": "accumulated gradient", "category": "gradient", "allocated_in": ["accumulate"]},
  {"name": "allocated and freed while a forward pass was recomputed", "category": "temporary", "allocated_in": ["recompute"], "also_allocated_in": ["backward"],
   "freed_in": ["recompute"]},
  {"name": "recomputed for the backward pass", "category": "activation", "allocated_in": ["recompute"], "also_allocated_in": ["backward"], "freed": true},
  {"name": "allocated in the backward pass, kept until the optimizer ran", "category": "gradient", "allocated_in": ["backward"], "lives_through": ["optimizer"]},
  {"name": "allocated in the backward pass, freed by zero_grad or the optimizer", "category": "gradient", "allocated_in": ["backward"], "freed_in": ["zero_grad", "optimizer"]},
  {"name": "allocated and freed in the backward pass", "category": "autograd_detail", "allocated_in": ["backward"], "freed": true},
  {"name": "allocated in the backward pass and never freed", "category": "gradient", "allocated_in": ["backward"]},
  {"name": "allocated and freed while a model was loaded", "category": "temporary", "allocated_in": ["loading"], "freed_in": ["loading"], "not_allocated_in": ["forward"]},
  {"name": "allocated while a model was built, moved or loaded", "category": "parameter", "allocated_in": ["loading"], "not_allocated_in": ["forward"]},
  {"name": "allocated in a forward pass, freed by the backward pass", "category": "activation", "allocated_in": ["forward"], "freed_in": ["backward"]},
  {"name": "allocated in a forward pass, outlives a backward pass", "category": "activation", "allocated_in": ["forward"], "lives_through": ["backward"]},
  {"name": "allocated in a forward pass, freed after memory ran out", "category": "activation", "allocated_in": ["forward"], "lives_through_oom": true},
  {"name": "allocated in a forward pass, freed before a backward pass", "category": "temporary", "allocated_in": ["forward"], "freed": true},
  {"name": "allocated in a forward pass and never freed", "category": "activation", "allocated_in": ["forward"]},
  {"name": "kept for the backward pass", "category": "activation", "freed_in": ["backward"]},
  {"name": "allocated in a module's constructor, outlives a backward pass", "category": "parameter", "allocated_in": ["construction"], "lives_through": ["backward"]},
  {"name": "allocated in a module's constructor and never freed", "category": "parameter", "allocated_in": ["construction"], "freed": false},
  {"name": "copied outside all modules", "category": "input", "allocated_in": ["copy"]},
  {"name": "from before the history, freed by zero_grad", "category": "gradient", "begun": false, "freed_in": ["zero_grad"]},
  {"name": "from before the history, replaced by the optimizer step that freed it", "category": "optimizer_state", "begun": false, "freed_in": ["optimizer"], "replaced_in": ["optimizer"]},
  {"name": "from before the history, of the size of a cuBLAS workspace", "category": "workspace", "begun": false, "freed": false, "at_least_bytes": 8519680,
   "at_most_bytes": 8519680, "inferred": true, "comment": "PyTorch's default for cuBLAS: two buffers of 4 MiB and eight of 16 KiB"},
  {"name": "from before the history, as many of its size as gradients", "category": "parameter", "sized_like": "gradient"},
  {"name": "from before the history, up to three of its size for each gradient", "category": "parameter_or_optimizer_state", "sized_like": "gradient",
   "at_most_each": 3, "not_sized_like": "optimizer_state"}
]
}
)json";
}

} // namespace riffle
