// Random games on a graphics card by WebGPU. The module writes the shader and the words of each
// dispatch, and counts the results; a dispatch is meant to take about 50 ms.

import { Refused } from "./module.js";

const refused = (code, message) => new Refused({ code, message });
const lost = (reason) => refused("lost", `the graphics card was lost: ${reason}`);
const rejected = ({ message }) => refused("rejected", `the graphics card rejects the game: ${message.split("\n")[0]}`);
// Replaces the error of a promise.
const told = (promise, tell) => promise.catch((error) => { throw tell(error); });

/** Plays random games as the request `playouts` describes them. Returns their statistics. */
export async function play(module, { game, count, seconds, seed }) {
  const start = performance.now();
  const { shader, ...first } = module.ask({ ask: "shader", game, count, seconds, seed });
  const card = await open();
  try {
    const pipeline = await card.compile(shader);
    // Some drivers compile at the first dispatch, which is repeated.
    if (first.dispatch) await card.run(pipeline, first.dispatch);
    const ready = performance.now();
    const elapsed = (since) => (performance.now() - since) / 1000;
    let { dispatch } = first;
    while (dispatch) {
      const before = performance.now();
      const sums = await card.run(pipeline, dispatch);
      ({ dispatch } = module.ask({ ask: "count", game, sums, seconds: elapsed(before) }));
      if (elapsed(ready) >= seconds) break;
    }
    return module.ask({ ask: "played", game, seed, device: card.name, seconds: elapsed(ready), prepare_seconds: (ready - start) / 1000 });
  } finally {
    card.close();
  }
}

// Opens the fastest card.
async function open() {
  const gpu = globalThis.navigator?.gpu;
  if (!gpu) throw refused("no_webgpu", "there is no WebGPU here, by which pages use graphics cards");
  const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) throw refused("no_card", "the browser offers no graphics card");
  const device = await told(adapter.requestDevice(), ({ message }) => refused("no_card", `the graphics card cannot be opened: ${message}`));
  // Rejects when the card is lost or reports an error.
  const failed = new Promise((_, reject) => {
    device.lost.then(({ message, reason }) => reject(lost(message || reason)));
    device.onuncapturederror = ({ error }) => reject(rejected(error));
  });
  failed.catch(() => {});
  const unless = (promise) => Promise.race([failed, promise]);
  const { description, vendor, architecture } = adapter.info ?? {};
  let buffers;

  // Creates the buffers of a dispatch, unless those of the last one have the same size.
  async function allocate(size) {
    if (buffers?.size === size) return buffers;
    buffers?.all.forEach((buffer) => buffer.destroy());
    const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
    device.pushErrorScope("out-of-memory");
    const all = [[40, STORAGE | COPY_DST], [size, STORAGE | COPY_SRC], [size, MAP_READ | COPY_DST]].map(([size, usage]) => device.createBuffer({ size, usage }));
    if (await unless(device.popErrorScope())) throw refused("memory", "the graphics card has too little memory");
    return (buffers = { size, all });
  }

  return {
    // Some browsers do not tell what card they have.
    name: `${description || [vendor, architecture].filter(Boolean).join(" ") || "graphics card"} (WebGPU)`,

    async compile(code) {
      const compute = { module: device.createShaderModule({ code }), entryPoint: "main" };
      const compiled = device.createComputePipelineAsync({ layout: "auto", compute });
      return unless(told(compiled, rejected));
    },

    // Runs a dispatch. Returns the sum of each row of counters.
    async run(pipeline, { words, groups, rows, blocks }) {
      const size = 4 * rows * blocks;
      const { all: [job, counters, back] } = await allocate(size);
      device.queue.writeBuffer(job, 0, new Uint32Array(words));
      const entries = [job, counters].map((buffer, binding) => ({ binding, resource: { buffer } }));
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
      pass.dispatchWorkgroups(groups);
      pass.end();
      encoder.copyBufferToBuffer(counters, 0, back, 0, size);
      device.queue.submit([encoder.finish()]);
      await unless(told(back.mapAsync(GPUMapMode.READ), ({ message }) => lost(message)));
      const numbers = new Uint32Array(back.getMappedRange());
      const sums = Array.from({ length: rows }, (_, row) => numbers.subarray(row * blocks, (row + 1) * blocks).reduce((sum, number) => sum + number, 0));
      back.unmap();
      return sums;
    },

    close: () => device.destroy(),
  };
}
