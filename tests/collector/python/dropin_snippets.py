# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
#
# The uses of torch.profiler that dropin_check.py runs twice, the second time with riffle_profiler in place of torch.profiler.
# Each starts after a line "# === NAME" and has the names of dropin_check.py's `prelude()`. It leaves in `result` what must be
# equal in both runs. It is text for that script and no module of its own.

# === table of operators
from torch.profiler import profile, record_function, ProfilerActivity

with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as prof:
    with record_function("model_inference"):
        model(inputs)
text = prof.key_averages().table(sort_by="cpu_time_total", row_limit=10)
result = [counts(prof.key_averages()), header_of(text), len(text.splitlines()),
          sorted(names_in(prof.key_averages().table(row_limit=-1)))]

# === group by input shape
from torch.profiler import profile, ProfilerActivity

with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as prof:
    model(inputs)
averages = prof.key_averages(group_by_input_shape=True)
result = [sorted((row.key, str(row.input_shapes), row.count) for row in averages),
          header_of(averages.table(sort_by="cpu_time_total", row_limit=10))]

# === CPU and CUDA requested everywhere
import torch.profiler as profiler

activities = [profiler.ProfilerActivity.CPU, profiler.ProfilerActivity.CUDA]
with profiler.profile(activities=activities) as prof:
    train()
result = counts(prof.key_averages())

# === memory
from torch.profiler import profile, ProfilerActivity

with profile(activities=[ProfilerActivity.CPU], profile_memory=True, record_shapes=True) as prof:
    model(inputs)
text = prof.key_averages().table(sort_by="self_cpu_memory_usage", row_limit=10)
result = [len(text.splitlines()), {row.key: row.count for row in prof.key_averages() if "memory" not in row.key}]

# === chrome trace
from torch.profiler import profile, ProfilerActivity

with profile(activities=[ProfilerActivity.CPU]) as prof:
    train()
prof.export_chrome_trace("trace.json")
result = operators_in("trace.json")

# === compressed chrome trace
from torch.profiler import profile, ProfilerActivity

with profile() as prof:
    train()
prof.export_chrome_trace("trace.json.gz")
result = operators_in("trace.json.gz")

# === stacks
from torch.profiler import profile, ProfilerActivity

with profile(activities=[ProfilerActivity.CPU], with_stack=True) as prof:
    model(inputs)
names_in(prof.key_averages(group_by_stack_n=5).table(sort_by="self_cpu_time_total", row_limit=2))
prof.export_stacks("profiler_stacks.txt", "self_cpu_time_total")
result = files()

# === schedule with a handler
from torch.profiler import profile, schedule, ProfilerActivity

seen = []


def trace_handler(p):
    seen.append((p.step_num, counts(p.key_averages()), len(p.events())))
    p.key_averages().table(sort_by="self_cpu_time_total", row_limit=10)
    p.export_chrome_trace("trace_" + str(p.step_num) + ".json")


with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=1, warmup=1, active=2, repeat=2),
             on_trace_ready=trace_handler) as p:
    for _ in range(9):
        train()
        p.step()
result = [seen, files(), [operators_in(name) for name in files()]]

# === TensorBoard
import torch.profiler

with torch.profiler.profile(schedule=torch.profiler.schedule(wait=1, warmup=1, active=3, repeat=1),
                            on_trace_ready=torch.profiler.tensorboard_trace_handler("./log/resnet18"),
                            record_shapes=True, profile_memory=True, with_stack=True) as prof:
    for step in range(8):
        prof.step()
        if step >= 1 + 1 + 3:
            break
        train()
result = [len(files("log/resnet18")), [name.split(".", 2)[2] for name in files("log/resnet18")]]

# === TensorBoard, compressed, with a worker's name
from torch.profiler import profile, tensorboard_trace_handler

with profile(on_trace_ready=tensorboard_trace_handler("logs", "worker0", True)):
    train()
result = [(name.split(".")[0], name.split(".", 2)[2]) for name in files("logs")]

# === record_function, nested and as a decorator
from torch.profiler import profile, record_function, ProfilerActivity


@record_function("decorated")
def decorated(value):
    with record_function("inner"):
        return model(value)


with profile(activities=[ProfilerActivity.CPU]) as prof:
    with record_function("outer"):
        for _ in range(3):
            decorated(inputs)
result = [counts(prof.key_averages()),
          sorted((event.name, event.cpu_parent.name) for event in prof.events() if event.cpu_parent)]

# === loop over events
from torch.profiler import profile, ProfilerActivity

with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as prof:
    train()
last, good = 0, True
for event in prof.events():
    good = good and event.time_range.start >= last and event.time_range.elapsed_us() >= 0 <= event.self_cpu_time_total
    good = good and event.cpu_time_total >= event.self_cpu_time_total and str(event.device_type).endswith("CPU")
    last = event.time_range.start
result = [good, [(event.key, event.count, event.thread > 0, event.is_async, event.scope in (0, 1, 7), len(event.cpu_children),
                  bool(event.kernels)) for event in prof.events()], len({event.thread for event in prof.events()})]

# === metadata
from torch.profiler import profile

prof = profile()
prof.preset_metadata_json("preset", '["a", 1]')
with prof:
    prof.add_metadata("run", 'the first')
    prof.add_metadata_json("settings", '{"layers": 12, "names": ["a", "b"]}')
    train()
prof.export_chrome_trace("trace.json")
result = [top_of("trace.json")[key] for key in ("preset", "run", "settings")]

# === sequence numbers of the backward pass
from torch.profiler import profile

with profile(record_shapes=True) as prof:
    train()
events = prof.events()
first = min(event.sequence_nr for event in events if event.sequence_nr >= 0)
result = [(event.name, max(-1, event.sequence_nr - first), event.scope, event.fwd_thread > 0) for event in events]

# === toggling
from torch.profiler import profile, ProfilerActivity

with profile(activities=[ProfilerActivity.CPU]) as prof:
    torch.ones(2).abs()
    prof.toggle_collection_dynamic(False, [ProfilerActivity.CPU])
    torch.ones(2).neg()
    prof.toggle_collection_dynamic(True, [ProfilerActivity.CPU])
    torch.ones(2).exp()
keys = counts(prof.key_averages())
result = [[name in keys for name in ("aten::abs", "aten::neg", "aten::exp")]]

# === profiles one after the other
from torch.profiler import profile

found = []
for _ in range(3):
    with profile() as prof:
        train()
    found.append(counts(prof.key_averages()))
prof.start()
model(inputs)
prof.stop()
result = [found, counts(prof.key_averages())]

# === options of table
from torch.profiler import profile, ProfilerActivity

with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as prof:
    train()
averages = prof.key_averages()
result = []
for key in ("cpu_time", "cuda_time", "cpu_time_total", "cuda_time_total", "self_cpu_time_total", "self_cuda_time_total",
            "device_time_total", "self_device_time_total", "cpu_memory_usage", "self_cuda_memory_usage", "count"):
    result.append(len(averages.table(sort_by=key).splitlines()))
for settings in (dict(row_limit=3), dict(row_limit=-1), dict(max_name_column_width=20), dict(max_name_column_width=None),
                 dict(header="My header"), dict(top_level_events_only=True, row_limit=5), dict(max_src_column_width=30),
                 dict(max_shapes_column_width=10), dict(time_unit="ms")):
    text = averages.table(sort_by="count", **settings)
    result.append([len(text.splitlines()), header_of(text), len(text.splitlines()[-2])])
result.append(len(str(averages).splitlines()))

# === totals
from torch.profiler import profile

with profile() as prof:
    train()
total, averages = prof.key_averages().total_average(), prof.key_averages()
result = [total.key, total.count, averages.self_cpu_time_total > 0, prof.profiler.self_cpu_time_total > 0,
          abs(sum(row.self_cpu_time_total for row in averages) - averages.self_cpu_time_total) < 1e-3,
          prof.events().total_average().count, prof.profiler.total_average().count, len(prof.profiler.function_events)]

# === start and stop, with functions
from torch.profiler import ProfilerActivity, profile


def begin():
    p = profile(activities=[ProfilerActivity.CPU], schedule=None, with_flops=True)
    p.start()
    return p


p = begin()
for _ in range(3):
    train()
    p.step()
p.stop()
result = [p.step_num, counts(p.key_averages()), # no source here knows the FLOPs of a convolution
          {row.key: row.flops for row in p.key_averages() if row.flops and "conv" not in row.key}]

# === own schedule, and accumulated events
from torch.profiler import profile, ProfilerAction, schedule

seen = []


def every_other(step):
    return ProfilerAction.RECORD_AND_SAVE if step % 2 else ProfilerAction.NONE


with profile(schedule=every_other, on_trace_ready=lambda p: seen.append((p.step_num, counts(p.key_averages())))) as p:
    for _ in range(4):
        train()
        p.step()
with profile(schedule=schedule(wait=1, warmup=0, active=1, repeat=2, skip_first=1), acc_events=True) as p:
    for _ in range(6):
        model(inputs)
        p.step()
result = [seen, counts(p.key_averages()), p.current_action.name]

# === execution trace
from torch.profiler import profile, ExecutionTraceObserver, ProfilerActivity

observer = ExecutionTraceObserver().register_callback("execution_trace.json")
with profile(activities=[ProfilerActivity.CPU], execution_trace_observer=observer):
    model(inputs)
result = [files(), observer.is_running(), "aten::linear" in {node["name"] for node in top_of("execution_trace.json")["nodes"]}]

# === old and rare options
import torch.profiler as profiler
from torch._C._profiler import _ExperimentalConfig
from torch.profiler import _KinetoProfile, DeviceType, itt, is_fbcode, kineto_available, supported_activities

options = {"experimental_config": _ExperimentalConfig(verbose=True), "with_modules": True, "custom_trace_id_callback": lambda: "my id"}
try:
    prof = profiler.profile(use_cuda=False, **options)
except TypeError:  # PyTorch 2.15 has dropped it
    prof = profiler.profile(**options)
with prof:
    model(inputs)
low = _KinetoProfile(activities=[profiler.ProfilerActivity.CPU])
low.prepare_trace()
low.start_trace()
model(inputs)
low.stop_trace()
result = [prof.get_trace_id(), counts(prof.key_averages()), counts(low.key_averages()), DeviceType.CPU.name,
          itt.is_available(), is_fbcode(), kineto_available(), sorted(one.name for one in supported_activities())]

# === an exception inside
from torch.profiler import profile

calls = []
try:
    with profile(on_trace_ready=lambda p: calls.append(p.step_num)) as prof:
        train()
        raise KeyError("the program's own")
except KeyError as error:
    calls.append(str(error))
result = [calls, counts(prof.key_averages())]
