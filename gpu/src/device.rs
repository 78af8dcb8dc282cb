//! Graphics cards: run a shader on a job and return the counters of its blocks, by the graphics
//! interface that the system offers.
//!
//! No failure stops the program. Failures of a shader, a buffer or a dispatch are returned as
//! errors, and so is the loss of the card.

use crate::{error::Error, job::BlockJob, wgsl::GROUP};
use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use wgpu::{
    Adapter, Backends, BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindGroupLayoutDescriptor,
    BindGroupLayoutEntry, BindingType, Buffer, BufferBindingType, BufferDescriptor, BufferUsages,
    ComputePassDescriptor, ComputePipeline, ComputePipelineDescriptor, DeviceDescriptor, DeviceType,
    Instance, InstanceDescriptor, InstanceFlags, MapMode, PipelineLayoutDescriptor, PollType,
    ShaderModuleDescriptor, ShaderSource, ShaderStages,
};

/// The timeout of a dispatch, which is meant to take at most half a second; the first one may
/// compile the shader.
const PATIENCE: Duration = Duration::from_secs(300);

/// An open card.
pub(crate) struct Card {
    adapter: Adapter,
    device: wgpu::Device,
    queue: wgpu::Queue,
    layout: BindGroupLayout,
    /// The first error that the driver reported; the loss of the card is never cleared.
    fault: Arc<Mutex<Option<Error>>>,
}

/// A shader that is compiled for a card.
#[derive(Debug)]
pub(crate) struct Pipeline(ComputePipeline);

impl fmt::Debug for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Card").field("name", &self.name()).finish_non_exhaustive()
    }
}

impl Card {
    /// Opens the fastest card, or the fastest one whose name contains `name`.
    pub(crate) fn open(name: Option<&str>) -> Result<Self, Error> {
        let mut descriptor = InstanceDescriptor::new_without_display_handle();
        descriptor.backends = Backends::PRIMARY;
        descriptor.flags = InstanceFlags::empty();
        let mut adapters =
            pollster::block_on(Instance::new(descriptor).enumerate_adapters(Backends::PRIMARY));
        // Cards are sorted by their kind, the fastest first. Within a kind, the order of the system
        // remains.
        adapters.sort_by_key(|adapter| match adapter.get_info().device_type {
            DeviceType::DiscreteGpu => 0,
            DeviceType::IntegratedGpu => 1,
            DeviceType::VirtualGpu => 2,
            DeviceType::Other => 3,
            DeviceType::Cpu => 4,
        });
        let found = adapters.iter().map(|adapter| adapter.get_info().name).collect();
        let wanted = name.map(str::to_lowercase);
        let is_wanted = |adapter: &Adapter| {
            wanted.as_ref().is_none_or(|name| adapter.get_info().name.to_lowercase().contains(name))
        };
        let adapter = adapters
            .into_iter()
            .find(is_wanted)
            .ok_or_else(|| Error::NoCard { name: name.map(str::to_owned), found })?;
        let descriptor =
            DeviceDescriptor { required_limits: adapter.limits(), ..DeviceDescriptor::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))
            .map_err(|error| Error::Closed(error.to_string()))?;
        let fault = Arc::new(Mutex::new(None));
        let note = Arc::clone(&fault);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            note.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(told(&error));
        }));
        let note = Arc::clone(&fault);
        device.set_device_lost_callback(move |_, reason| {
            *note.lock().unwrap_or_else(PoisonError::into_inner) = Some(Error::Lost(first_lines(&reason)));
        });
        let entry = |binding, read_only| BindGroupLayoutEntry {
            binding,
            visibility: ShaderStages::COMPUTE,
            ty: BindingType::Buffer {
                ty: BufferBindingType::Storage { read_only },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        };
        let layout = device.create_bind_group_layout(&BindGroupLayoutDescriptor {
            label: None,
            entries: &[entry(0, true), entry(1, false), entry(2, true)],
        });
        let card = Self { adapter, device, queue, layout, fault };
        card.check()?;
        Ok(card)
    }

    /// Returns the name of the card and its graphics interface.
    pub(crate) fn name(&self) -> String {
        let info = self.adapter.get_info();
        format!("{} ({})", info.name, info.backend)
    }

    /// Returns the number of blocks of the first dispatch: few for software implementations, which
    /// play blocks one by one.
    pub(crate) fn first_blocks(&self) -> u32 {
        match self.adapter.get_info().device_type {
            DeviceType::Cpu => 1 << 6,
            _ => 1 << 10,
        }
    }

    /// Compiles a shader. Drivers take seconds for thousands of operations, and some of them
    /// compile at the first run.
    pub(crate) fn prepare(&self, shader: &str) -> Result<Pipeline, Error> {
        let module = self.device.create_shader_module(ShaderModuleDescriptor {
            label: None,
            source: ShaderSource::Wgsl(shader.into()),
        });
        self.check()?;
        let layout = self.device.create_pipeline_layout(&PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&self.layout)],
            immediate_size: 0,
        });
        let pipeline = self.device.create_compute_pipeline(&ComputePipelineDescriptor {
            label: None,
            layout: Some(&layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        self.check()?;
        Ok(Pipeline(pipeline))
    }

    /// Runs a job. Returns a row for each counter, with its value for each block.
    pub(crate) fn run(
        &self,
        pipeline: &Pipeline,
        job: &BlockJob<'_>,
        counters: usize,
    ) -> Result<Vec<u32>, Error> {
        let bytes = 4 * u64::from(job.blocks) * counters as u64;
        if bytes > self.device.limits().max_storage_buffer_binding_size {
            return Err(Error::Memory);
        }
        // A binding must have at least one word.
        let states = if job.states.is_empty() { &[0] } else { job.states };
        let given = self.buffer(4 * states.len() as u64, BufferUsages::STORAGE | BufferUsages::COPY_DST);
        let told = self.buffer(40, BufferUsages::STORAGE | BufferUsages::COPY_DST);
        let counted = self.buffer(bytes, BufferUsages::STORAGE | BufferUsages::COPY_SRC);
        let back = self.buffer(bytes, BufferUsages::MAP_READ | BufferUsages::COPY_DST);
        self.check()?;
        self.queue.write_buffer(&told, 0, &to_bytes(&job.written()));
        self.queue.write_buffer(&given, 0, &to_bytes(states));
        let bindings = [&told, &counted, &given];
        let entries: Vec<BindGroupEntry<'_>> = (0..)
            .zip(bindings)
            .map(|(binding, buffer)| BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let group = self.device.create_bind_group(&BindGroupDescriptor {
            label: None,
            layout: &self.layout,
            entries: &entries,
        });
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&ComputePassDescriptor::default());
            pass.set_pipeline(&pipeline.0);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(job.blocks.div_ceil(GROUP), 1, 1);
        }
        encoder.copy_buffer_to_buffer(&counted, 0, &back, 0, bytes);
        let submission = self.queue.submit([encoder.finish()]);
        let mapped = Arc::new(Mutex::new(None));
        let answer = Arc::clone(&mapped);
        back.map_async(MapMode::Read, .., move |result| {
            *answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        });
        let polled =
            self.device.poll(PollType::Wait { submission_index: Some(submission), timeout: Some(PATIENCE) });
        self.check()?;
        polled.map_err(|error| Error::Lost(error.to_string()))?;
        match mapped.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(Ok(())) => {}
            Some(Err(error)) => return Err(Error::Lost(error.to_string())),
            None => return Err(Error::Lost("it does not return its counts".to_owned())),
        }
        let range = back.get_mapped_range(..).map_err(|error| Error::Lost(error.to_string()))?;
        let (words, _) = range.as_chunks();
        Ok(words.iter().map(|&word| u32::from_le_bytes(word)).collect())
    }

    fn buffer(&self, size: u64, usage: BufferUsages) -> Buffer {
        self.device.create_buffer(&BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
    }

    /// Returns the error that was reported since the last call, if there is one. A lost card stays
    /// lost; a card that rejected a shader may accept the next.
    fn check(&self) -> Result<(), Error> {
        let told = || {
            let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
            if matches!(*fault, Some(Error::Lost(_))) { fault.clone() } else { fault.take() }
        };
        let Some(fault) = told() else { return Ok(()) };
        // Operations on a lost card are invalid. The driver reports the loss afterwards, when it is
        // polled.
        let _ = self.device.poll(PollType::Poll);
        Err(told().unwrap_or(fault))
    }
}

/// Converts an error of the driver.
fn told(error: &wgpu::Error) -> Error {
    match error {
        wgpu::Error::OutOfMemory { .. } => Error::Memory,
        wgpu::Error::Validation { description, .. } | wgpu::Error::Internal { description, .. } => {
            Error::Refused(first_lines(description))
        }
    }
}

fn to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Returns the first three lines of a driver's message.
fn first_lines(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).take(3).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a shader with an empty body and `threads` threads in a workgroup.
    fn idle(threads: u32) -> String {
        format!("@compute @workgroup_size({threads})\nfn main() {{}}\n")
    }

    /// Opens the card of this machine. Skips the test if there is none.
    fn card() -> Option<Card> {
        match Card::open(None) {
            Ok(card) => Some(card),
            Err(error) => {
                gdl_test_support::skip(format!("{error}: {}", error.help()));
                None
            }
        }
    }

    fn job(blocks: u32) -> BlockJob<'static> {
        BlockJob {
            key: [0; 2],
            first: 0,
            blocks,
            games: 32,
            last: 32,
            each: blocks,
            phase: 0,
            words: 0,
            states: &[],
        }
    }

    /// Every request to a lost card reports the loss, with advice.
    #[test]
    fn a_lost_card_is_told() {
        let Some(card) = card() else { return };
        let pipeline = card.prepare(&idle(1)).expect("it is sound");
        assert_eq!(card.run(&pipeline, &job(3), 2), Ok(vec![0; 6]));
        card.device.destroy();
        for _ in 0..2 {
            let error = card.run(&pipeline, &job(3), 2).expect_err("it is gone");
            assert!(matches!(error, Error::Lost(_)), "{error:?}");
            assert!(error.to_string().starts_with("the graphics card was lost: "), "{error}");
            assert!(error.help().starts_with("try again"), "{}", error.help());
            assert!(matches!(card.prepare(&idle(1)), Err(Error::Lost(_))));
        }
    }

    /// A wrong shader, or one over the limits of the card, is rejected; the next one runs.
    #[test]
    fn a_card_that_refuses_goes_on() {
        let Some(card) = card() else { return };
        for shader in ["this is no shader".to_owned(), idle(1 << 20), idle(0)] {
            let error = card.prepare(&shader).expect_err("it is refused");
            assert!(matches!(error, Error::Refused(_)), "{error:?}");
            assert!(error.to_string().len() < 1_000, "{error}");
        }
        let pipeline = card.prepare(&idle(1)).expect("it is sound");
        assert_eq!(card.run(&pipeline, &job(1), 1), Ok(vec![0]));
    }

    /// Buffers that exceed the limits are rejected before they are allocated, and memory errors of
    /// the driver are reported.
    #[test]
    fn too_little_memory_is_told() {
        assert_eq!(told(&wgpu::Error::OutOfMemory { source: Box::new(Error::Memory) }), Error::Memory);
        let Some(card) = card() else { return };
        let pipeline = card.prepare(&idle(1)).expect("it is sound");
        assert_eq!(card.run(&pipeline, &job(u32::MAX), 1 << 10), Err(Error::Memory));
        assert_eq!(card.run(&pipeline, &job(1), 1), Ok(vec![0]));
    }
}
