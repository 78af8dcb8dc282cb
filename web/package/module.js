// The WebAssembly module: an instance with the system calls that it needs, and requests to it.

// WASI error codes: success, a file descriptor that is not open, an unsupported call.
const [DONE, BADF, NOSYS] = [0, 8, 52];

// A module with one function, which makes a vector.
const VECTOR = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11];

/** Returns whether this machine has the 128-bit SIMD of WebAssembly. */
export const hasSimd = () => WebAssembly.validate(new Uint8Array(VECTOR));

/** A refused request: a faulty rulesheet, an illegal move, or a graphics card that does not play. */
export class Refused extends Error {
  constructor({ message = "", diagnostics = [], code = null } = {}) {
    super(message);
    this.name = "Refused";
    this.diagnostics = diagnostics;
    this.code = code;
  }
}

/** An instance that has ended, by a panic or for lack of memory. */
export class Ended extends Error {
  constructor(message) {
    super(message);
    this.name = "Ended";
  }
}

/** An instance of the compiled module, which answers one request after the other. */
export class Module {
  #exports;
  #said = "";

  /** Makes an instance of a `WebAssembly.Module`. */
  static async of(compiled) {
    const module = new Module();
    const imports = {};
    for (const { module: space, name } of WebAssembly.Module.imports(compiled)) {
      (imports[space] ??= {})[name] = module.#calls[name] ?? (() => NOSYS);
    }
    const instance = await WebAssembly.instantiate(compiled, imports);
    module.#exports = instance.exports;
    module.#exports._initialize();
    return module;
  }

  /** Returns the result of a request, or throws `Refused` or `Ended`. */
  ask(request) {
    const { gdl_reserve: reserve, gdl_answer: answer, gdl_text: text, memory } = this.#exports;
    let told;
    try {
      const bytes = new TextEncoder().encode(JSON.stringify(request));
      const at = reserve(bytes.length);
      new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
      const length = answer();
      told = JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, text(), length)));
    } catch (error) {
      throw new Ended(`the module ended: ${this.#said.trim() || error.message}`);
    }
    if (told.error) throw new Refused(told.error);
    return told.ok;
  }

  // The WASI calls: a clock, random bytes, and the output of panics. There are no files.
  #calls = {
    clock_time_get: (id, _precision, at) => {
      const now = id === 0 ? Date.now() : performance.now();
      this.#view.setBigUint64(at, BigInt(Math.round(now * 1e6)), true);
      return DONE;
    },
    environ_get: () => DONE,
    environ_sizes_get: (count, size) => {
      this.#view.setUint32(count, 0, true);
      this.#view.setUint32(size, 0, true);
      return DONE;
    },
    // No folder is open from the start.
    fd_prestat_get: () => BADF,
    fd_write: (descriptor, parts, count, written) => {
      if (descriptor !== 1 && descriptor !== 2) return BADF;
      let total = 0;
      for (let part = 0; part < count; part++) {
        const [at, length] = [0, 4].map((offset) => this.#view.getUint32(parts + 8 * part + offset, true));
        this.#said = (this.#said + new TextDecoder().decode(new Uint8Array(this.#exports.memory.buffer, at, length))).slice(-2000);
        total += length;
      }
      this.#view.setUint32(written, total, true);
      return DONE;
    },
    proc_exit: (code) => {
      throw new Ended(`exit code ${code}`);
    },
    random_get: (at, length) => {
      for (let done = 0; done < length; done += 65536) {
        crypto.getRandomValues(new Uint8Array(this.#exports.memory.buffer, at + done, Math.min(65536, length - done)));
      }
      return DONE;
    },
    sched_yield: () => DONE,
  };

  get #view() {
    return new DataView(this.#exports.memory.buffer);
  }
}
