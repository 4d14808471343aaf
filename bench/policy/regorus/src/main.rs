//! regorus, measured like the others: `regorus-peer SECONDS FOLDER…`, a line of JSON per input.
//! Once by its interpreter (which is what its `Engine` is) and once by its virtual machine.
use std::alloc::{GlobalAlloc, Layout, System};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use regorus::languages::rego::compiler::Compiler;
use regorus::rvm::RegoVM;
use regorus::{cache, Engine, Value};

const ENTRY: &str = "data.mcp.fetch.allow";

struct Counting;
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        System.alloc(layout)
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        System.dealloc(memory, layout)
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

type Failure = Box<dyn std::error::Error>;

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

extern "C" {
    fn clock_gettime(clock: i32, time: *mut Timespec) -> i32;
}

fn cpu_seconds() -> f64 {
    const CPU_TIME_OF_PROCESS: i32 = 2;
    let mut time = Timespec { seconds: 0, nanoseconds: 0 };
    unsafe { clock_gettime(CPU_TIME_OF_PROCESS, &mut time) };
    time.seconds as f64 + time.nanoseconds as f64 * 1e-9
}

fn mean_us(seconds: f64, work: &mut dyn FnMut()) -> f64 {
    let (mut batch, mut best, mut round) = (1u64, 1e12, 0);
    while round < 3 {
        let begun = cpu_seconds();
        for _ in 0..batch {
            work();
        }
        let took = cpu_seconds() - begun;
        if took < seconds / 8.0 {
            batch *= 4; // this was the warming up
            continue;
        }
        best = f64::min(best, took / batch as f64 * 1e6);
        round += 1;
    }
    best
}

fn timing(seconds: f64, work: &mut dyn FnMut()) -> String {
    let mean = mean_us(seconds, work);
    let mut samples = Vec::with_capacity(1 << 18);
    let begun = Instant::now();
    let mut last = begun;
    let budget = Duration::from_secs_f64(seconds);
    while samples.len() < (1 << 18) && (last - begun < budget || samples.len() < 10) {
        work();
        let now = Instant::now();
        samples.push((now - last).as_secs_f64() * 1e6);
        last = now;
    }
    samples.sort_by(f64::total_cmp);
    let (p50, p99) = (samples[samples.len() / 2], samples[samples.len() * 99 / 100]);
    format!(r#"{{"mean_us":{mean:.4},"p50_us":{p50:.4},"p99_us":{p99:.4}}}"#)
}

fn engine_of(folder: &Path) -> Result<Engine, Failure> {
    let mut engine = Engine::new();
    for file in fs::read_dir(folder.join("policy"))? {
        let path = file?.path();
        if path.extension().is_some_and(|end| end == "rego") {
            engine.add_policy(path.display().to_string(), fs::read_to_string(&path)?)?;
        } else {
            engine.add_data(Value::from_json_str(&fs::read_to_string(&path)?)?)?;
        }
    }
    Ok(engine)
}

fn machine_of(engine: &mut Engine) -> Result<RegoVM, Failure> {
    let compiled = engine.compile_with_entrypoint(&ENTRY.into())?;
    let program = Compiler::compile_from_policy(&compiled, &[ENTRY])?;
    let mut machine = RegoVM::new();
    machine.load_program(program);
    machine.set_data(engine.get_data())?;
    // Its default stops the larger policies.
    machine.set_max_instructions(usize::MAX);
    Ok(machine)
}

/// Measures one way to decide, given as a function from an input to the decision.
fn report(
    who: &str, folder: &Path, input: &str, seconds: f64, load_ms: f64,
    decide: &mut dyn FnMut(Value) -> Result<Value, Failure>,
) -> Result<(), Failure> {
    let text = fs::read_to_string(folder.join(format!("{input}.json")))?;
    let parsed = Value::from_json_str(&text)?;
    let allowed = decide(parsed.clone())? == Value::from(true);
    let mut from_parsed = || drop(decide(parsed.clone()));
    let before = ALLOCATIONS.load(Relaxed);
    (0..20).for_each(|_| from_parsed());
    let allocations = (ALLOCATIONS.load(Relaxed) - before) as f64 / 20.0;
    let of_parsed = timing(seconds, &mut from_parsed);
    let of_text = timing(seconds, &mut || {
        drop(Value::from_json_str(&text).map(|value| decide(value)))
    });
    let policy = folder.file_name().unwrap().to_string_lossy();
    println!(
        r#"{{"engine":"{who}","policy":"{policy}","input":"{input}","allowed":{allowed},"load_ms":{load_ms:.3},"allocations":{allocations:.2},"parsed":{of_parsed},"from_text":{of_text}}}"#
    );
    Ok(())
}

fn measure(folder: &Path, seconds: f64) -> Result<(), Failure> {
    let mut load_ms = f64::MAX;
    for _ in 0..3 {
        let begun = cpu_seconds();
        machine_of(&mut engine_of(folder)?)?;
        load_ms = load_ms.min((cpu_seconds() - begun) * 1e3);
    }
    let mut engine = engine_of(folder)?;
    let mut machine = machine_of(&mut engine)?;
    for input in ["allow", "deny"] {
        report("machine", folder, input, seconds, load_ms, &mut |value| {
            machine.set_input(value);
            Ok(machine.execute()?)
        })?;
        report("interpreter", folder, input, seconds, load_ms, &mut |value| {
            engine.set_input(value);
            Ok(engine.eval_rule(ENTRY.into())?)
        })?;
    }
    Ok(())
}

fn main() {
    // Room for every pattern of a policy; otherwise those beyond some hundred are compiled anew each time.
    cache::configure(cache::Config { regex: 1 << 16, glob: 1 << 16 });
    let words: Vec<String> = std::env::args().collect();
    let seconds = words.get(1).and_then(|word| word.parse().ok()).unwrap_or(0.3);
    for folder in words.iter().skip(2) {
        if let Err(error) = measure(Path::new(folder), seconds) {
            eprintln!("{folder}: {error}");
        }
    }
}
