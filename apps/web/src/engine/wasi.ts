// The few system calls that the engine makes, on files that live in memory. Numbers and layouts are those of
// WASI preview 1.

const OK = 0;
const BAD_FILE = 8;
const EXISTS = 20;
const INVALID = 28;
const IS_FOLDER = 31;
const NOT_FOUND = 44;
const NOT_SUPPORTED = 52;
const NOT_FOLDER = 54;

const FOLDER = 3;
const PLAIN_FILE = 4;
const CHARACTERS = 2;

const CREATE = 1;
const ONLY_FOLDER = 2;
const EXCLUSIVE = 4;
const TRUNCATE = 8;
const APPEND = 1;

/** The only folder there is; 0 to 2 are the standard streams. */
const ROOT = 3;

/** The engine called exit(), which it never does but after a failure of its own. */
export class ExitError extends Error {}

class MemoryFile {
    private storage: Uint8Array = new Uint8Array(0);
    private size = 0;

    get bytes(): Uint8Array {
        return this.storage.subarray(0, this.size);
    }

    replace(bytes: Uint8Array): void {
        this.storage = bytes;
        this.size = bytes.length;
    }

    write(at: number, bytes: Uint8Array): void {
        const end = at + bytes.length;
        if (end > this.storage.length) {
            const grown = new Uint8Array(Math.max(end, 2 * this.storage.length, 4096));
            grown.set(this.bytes);
            this.storage = grown;
        }
        this.storage.fill(0, this.size, Math.max(this.size, at));
        this.storage.set(bytes, at);
        this.size = Math.max(this.size, end);
    }

    resize(size: number): void {
        if (size > this.size) {
            this.write(this.size, new Uint8Array(size - this.size));
        }
        this.size = size;
    }
}

interface OpenFile {
    file: MemoryFile;
    at: number;
    append: boolean;
}

/** Files by name, without folders. */
export class MemoryFiles {
    private readonly files = new Map<string, MemoryFile>();

    put(name: string, bytes: Uint8Array): void {
        this.make(name).replace(bytes);
    }

    /** The bytes of a file, which is gone afterwards. */
    take(name: string): Uint8Array | undefined {
        const file = this.files.get(name);
        this.files.delete(name);
        return file?.bytes;
    }

    get(name: string): MemoryFile | undefined {
        return this.files.get(name);
    }

    make(name: string): MemoryFile {
        const file = new MemoryFile();
        this.files.set(name, file);
        return file;
    }

    remove(name: string): boolean {
        return this.files.delete(name);
    }

    rename(from: string, to: string): boolean {
        const file = this.files.get(from);
        if (file === undefined) {
            return false;
        }
        this.files.delete(from);
        this.files.set(to, file);
        return true;
    }
}

export class Wasi {
    readonly files = new MemoryFiles();
    private readonly open = new Map<number, OpenFile>();
    private nextHandle = ROOT + 1;
    private readonly texts = ['', '', ''];

    constructor(
        private readonly memory: WebAssembly.Memory,
        private readonly log: (line: string) => void,
    ) {}

    imports(): WebAssembly.ModuleImports {
        return {
            clock_time_get: (_clock: number, _precision: bigint, out: number) => this.clock(out),
            fd_close: (handle: number) => (this.open.delete(handle) ? OK : BAD_FILE),
            fd_fdstat_get: (handle: number, out: number) => this.describeHandle(handle, out),
            fd_fdstat_set_flags: () => OK,
            fd_filestat_get: (handle: number, out: number) => this.describeOpen(handle, out),
            fd_filestat_set_size: (handle: number, size: bigint) => this.resize(handle, Number(size)),
            fd_pread: (handle: number, vectors: number, count: number, at: bigint, out: number) =>
                this.read(handle, vectors, count, out, Number(at)),
            fd_prestat_get: (handle: number, out: number) => this.describeRoot(handle, out),
            fd_prestat_dir_name: (handle: number, path: number) => this.nameRoot(handle, path),
            fd_read: (handle: number, vectors: number, count: number, out: number) =>
                this.read(handle, vectors, count, out),
            fd_readdir: () => NOT_SUPPORTED,
            fd_seek: (handle: number, offset: bigint, whence: number, out: number) =>
                this.seek(handle, Number(offset), whence, out),
            fd_write: (handle: number, vectors: number, count: number, out: number) =>
                this.write(handle, vectors, count, out),
            path_create_directory: () => NOT_SUPPORTED,
            path_filestat_get: (_folder: number, _flags: number, path: number, length: number, out: number) =>
                this.describePath(this.name(path, length), out),
            path_open: (
                _folder: number,
                _lookup: number,
                path: number,
                length: number,
                how: number,
                _rights: bigint,
                _inherited: bigint,
                flags: number,
                out: number,
            ) => this.openPath(this.name(path, length), how, flags, out),
            path_remove_directory: () => NOT_FOLDER,
            path_rename: (
                _from: number,
                path: number,
                length: number,
                _to: number,
                other: number,
                size: number,
            ) =>
                this.files.rename(this.name(path, length), this.name(other, size)) ? OK : NOT_FOUND,
            path_unlink_file: (_folder: number, path: number, length: number) =>
                this.files.remove(this.name(path, length)) ? OK : NOT_FOUND,
            proc_exit: (code: number) => {
                throw new ExitError(`the engine stopped with code ${code}`);
            },
        };
    }

    private get view(): DataView {
        return new DataView(this.memory.buffer);
    }

    private bytes(at: number, length: number): Uint8Array {
        return new Uint8Array(this.memory.buffer, at >>> 0, length);
    }

    private name(path: number, length: number): string {
        const text = new TextDecoder().decode(this.bytes(path, length).slice());
        return text.replace(/^(\.?\/)+/, '');
    }

    private clock(out: number): number {
        this.view.setBigUint64(out >>> 0, BigInt(Math.round(performance.now() * 1e6)), true);
        return OK;
    }

    // ---- handles ----

    private openPath(name: string, how: number, flags: number, out: number): number {
        if (name === '' || name === '.') {
            return how & CREATE ? IS_FOLDER : NOT_SUPPORTED;
        }
        let file = this.files.get(name);
        if (how & ONLY_FOLDER) {
            return file === undefined ? NOT_FOUND : NOT_FOLDER;
        }
        if (file !== undefined && how & CREATE && how & EXCLUSIVE) {
            return EXISTS;
        }
        if (file === undefined && !(how & CREATE)) {
            return NOT_FOUND;
        }
        if (file === undefined || how & TRUNCATE) {
            file = this.files.make(name);
        }
        const handle = this.nextHandle++;
        this.open.set(handle, { file, at: 0, append: (flags & APPEND) !== 0 });
        this.view.setUint32(out >>> 0, handle, true);
        return OK;
    }

    private describeHandle(handle: number, out: number): number {
        const kind = handle === ROOT ? FOLDER : handle < ROOT ? CHARACTERS : PLAIN_FILE;
        if (kind === PLAIN_FILE && !this.open.has(handle)) {
            return BAD_FILE;
        }
        const view = this.view;
        this.bytes(out, 24).fill(0);
        view.setUint8(out >>> 0, kind);
        view.setBigUint64((out >>> 0) + 8, 0x1fffffffn, true); // may do everything
        view.setBigUint64((out >>> 0) + 16, 0x1fffffffn, true);
        return OK;
    }

    private describeRoot(handle: number, out: number): number {
        if (handle !== ROOT) {
            return BAD_FILE;
        }
        this.view.setUint32(out >>> 0, 0, true);
        this.view.setUint32((out >>> 0) + 4, 1, true); // the length of its name
        return OK;
    }

    private nameRoot(handle: number, path: number): number {
        this.bytes(path, 1)[0] = '/'.charCodeAt(0);
        return handle === ROOT ? OK : BAD_FILE;
    }

    private putStatus(kind: number, size: number, out: number): number {
        this.bytes(out, 64).fill(0);
        this.view.setUint8((out >>> 0) + 16, kind);
        this.view.setBigUint64((out >>> 0) + 24, 1n, true);
        this.view.setBigUint64((out >>> 0) + 32, BigInt(size), true);
        return OK;
    }

    private describeOpen(handle: number, out: number): number {
        const open = this.open.get(handle);
        if (open !== undefined) {
            return this.putStatus(PLAIN_FILE, open.file.bytes.length, out);
        }
        return handle <= ROOT ? this.putStatus(handle === ROOT ? FOLDER : CHARACTERS, 0, out) : BAD_FILE;
    }

    private describePath(name: string, out: number): number {
        if (name === '' || name === '.') {
            return this.putStatus(FOLDER, 0, out);
        }
        const file = this.files.get(name);
        return file === undefined ? NOT_FOUND : this.putStatus(PLAIN_FILE, file.bytes.length, out);
    }

    // ---- bytes ----

    /** Calls `each` with the buffers of a request until it takes less than it was given. */
    private eachVector(vectors: number, count: number, each: (bytes: Uint8Array) => number): number {
        let total = 0;
        for (let i = 0; i < count; ++i) {
            const at = (vectors >>> 0) + 8 * i;
            const bytes = this.bytes(this.view.getUint32(at, true), this.view.getUint32(at + 4, true));
            const done = each(bytes);
            total += done;
            if (done < bytes.length) {
                break;
            }
        }
        return total;
    }

    private read(handle: number, vectors: number, count: number, out: number, from?: number): number {
        const open = this.open.get(handle);
        if (open === undefined) {
            return BAD_FILE;
        }
        let at = from ?? open.at;
        const total = this.eachVector(vectors, count, (bytes) => {
            const part = open.file.bytes.subarray(at, at + bytes.length);
            bytes.set(part);
            at += part.length;
            return part.length;
        });
        open.at = from === undefined ? at : open.at;
        this.view.setUint32(out >>> 0, total, true);
        return OK;
    }

    private write(handle: number, vectors: number, count: number, out: number): number {
        const open = this.open.get(handle);
        if (open === undefined && handle >= ROOT) {
            return BAD_FILE;
        }
        const total = this.eachVector(vectors, count, (bytes) => {
            if (open === undefined) {
                this.print(handle, bytes);
                return bytes.length;
            }
            const at = open.append ? open.file.bytes.length : open.at;
            open.file.write(at, bytes);
            open.at = at + bytes.length;
            return bytes.length;
        });
        this.view.setUint32(out >>> 0, total, true);
        return OK;
    }

    /** Standard output and errors, line by line. */
    private print(handle: number, bytes: Uint8Array): void {
        const lines = (this.texts[handle] + new TextDecoder().decode(bytes.slice())).split('\n');
        this.texts[handle] = lines.pop() ?? '';
        lines.forEach(this.log);
    }

    private resize(handle: number, size: number): number {
        const open = this.open.get(handle);
        if (open === undefined) {
            return BAD_FILE;
        }
        open.file.resize(size);
        return OK;
    }

    private seek(handle: number, offset: number, whence: number, out: number): number {
        const open = this.open.get(handle);
        if (open === undefined) {
            return BAD_FILE;
        }
        const from = whence === 0 ? 0 : whence === 1 ? open.at : open.file.bytes.length;
        if (from + offset < 0) {
            return INVALID;
        }
        open.at = from + offset;
        this.view.setBigUint64(out >>> 0, BigInt(open.at), true);
        return OK;
    }
}
