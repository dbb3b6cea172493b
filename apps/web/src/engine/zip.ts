// A zip archive of a few files, deflated where the platform can do that.

export interface ZipEntry {
    name: string;
    bytes: Uint8Array;
}

const STORED = 0;
const DEFLATED = 8;
const UTF8_NAMES = 0x800;
/** The first of January 1980, the beginning of time for zip: what is written depends on the files alone. */
const DATE = 0x21;

const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
    let c = n;
    for (let k = 0; k < 8; ++k) {
        c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    }
    return c;
});

function crc32(bytes: Uint8Array): number {
    let crc = 0xffffffff;
    for (const byte of bytes) {
        crc = crcTable[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
    }
    return ~crc >>> 0;
}

async function deflate(bytes: Uint8Array): Promise<Uint8Array> {
    const whole = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream();
    const packed = whole.pipeThrough(new CompressionStream('deflate-raw'));
    return new Uint8Array(await new Response(packed).arrayBuffer());
}

interface Packed {
    name: Uint8Array;
    method: number;
    data: Uint8Array;
    crc: number;
    size: number;
}

async function pack(entry: ZipEntry): Promise<Packed> {
    const name = new TextEncoder().encode(entry.name);
    const common = { name, crc: crc32(entry.bytes), size: entry.bytes.length };
    if (typeof CompressionStream === 'undefined') {
        return { ...common, method: STORED, data: entry.bytes };
    }
    const data = await deflate(entry.bytes);
    return data.length < entry.bytes.length
        ? { ...common, method: DEFLATED, data }
        : { ...common, method: STORED, data: entry.bytes };
}

/** The fields that local and central headers have in common, from the version on. */
function putFields(view: DataView, at: number, packed: Packed): void {
    view.setUint16(at, 20, true);
    view.setUint16(at + 2, UTF8_NAMES, true);
    view.setUint16(at + 4, packed.method, true);
    view.setUint16(at + 8, DATE, true);
    view.setUint32(at + 10, packed.crc, true);
    view.setUint32(at + 14, packed.data.length, true);
    view.setUint32(at + 18, packed.size, true);
    view.setUint16(at + 22, packed.name.length, true);
}

function localHeader(packed: Packed): Uint8Array {
    const header = new Uint8Array(30 + packed.name.length);
    const view = new DataView(header.buffer);
    view.setUint32(0, 0x04034b50, true);
    putFields(view, 4, packed);
    header.set(packed.name, 30);
    return header;
}

function centralHeader(packed: Packed, offset: number): Uint8Array {
    const header = new Uint8Array(46 + packed.name.length);
    const view = new DataView(header.buffer);
    view.setUint32(0, 0x02014b50, true);
    view.setUint16(4, 20, true);
    putFields(view, 6, packed);
    view.setUint32(42, offset, true);
    header.set(packed.name, 46);
    return header;
}

function endRecord(count: number, size: number, offset: number): Uint8Array {
    const record = new Uint8Array(22);
    const view = new DataView(record.buffer);
    view.setUint32(0, 0x06054b50, true);
    view.setUint16(8, count, true);
    view.setUint16(10, count, true);
    view.setUint32(12, size, true);
    view.setUint32(16, offset, true);
    return record;
}

export async function zip(entries: ZipEntry[]): Promise<ArrayBuffer> {
    const parts: Uint8Array[] = [];
    const directory: Uint8Array[] = [];
    let offset = 0;
    for (const entry of entries) {
        const packed = await pack(entry);
        const header = localHeader(packed);
        directory.push(centralHeader(packed, offset));
        parts.push(header, packed.data);
        offset += header.length + packed.data.length;
    }
    const size = directory.reduce((sum, header) => sum + header.length, 0);
    return join([...parts, ...directory, endRecord(entries.length, size, offset)]);
}

function join(parts: Uint8Array[]): ArrayBuffer {
    const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
        bytes.set(part, at);
        at += part.length;
    }
    return bytes.buffer;
}
