// The size of PNG files, so that pages keep room for pictures before they are loaded.

import { closeSync, existsSync, openSync, readSync } from 'node:fs';

const SIGNATURE = '89504e470d0a1a0a';

/** { width, height } of a PNG file; undefined for what is none. */
export function imageSize(path) {
    if (!path.endsWith('.png') || !existsSync(path)) {
        return undefined;
    }
    const head = Buffer.alloc(24);
    const file = openSync(path, 'r');
    const count = readSync(file, head, 0, 24, 0);
    closeSync(file);
    if (count < 24 || head.toString('hex', 0, 8) !== SIGNATURE) {
        return undefined;
    }
    return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}
