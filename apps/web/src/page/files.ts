// Files in and out. Nothing leaves the computer.
import type { EngineClient } from '../engine/client.ts';
import type { ExportKind, Imported, SceneSource, Vec3 } from '../engine/protocol.ts';
import { sceneOfMesh } from './edits.ts';
import type { Box } from './edits.ts';

/** Bytes: more than this does not fit into the memory of a 32-bit engine together with what is made of it. */
const largestFile = 400e6;
const meshKinds = ['obj', 'stl', 'ply', 'off', 'glb', 'gltf'];

export interface Opened {
    scene: SceneSource;
    name: string;
    verdict: string;
}

function extensionOf(name: string): string {
    return name.slice(name.lastIndexOf('.') + 1).toLowerCase();
}

/** A dropped file as a scene; rejects with a sentence for the person who dropped it. */
export async function openFile(client: EngineClient, file: File): Promise<Opened> {
    const kind = extensionOf(file.name);
    if (file.size > largestFile) {
        throw new Error(
            `${file.name} has ${Math.round(file.size / 1e6)} MB; at most ${largestFile / 1e6} MB fit here. ` +
                'Make it smaller first: rubble convert in.obj out.glb --simplify 100000',
        );
    }
    if (kind === 'json') {
        const text = await file.text();
        return { scene: { name: file.name, text }, name: file.name, verdict: '' };
    }
    if (!meshKinds.includes(kind)) {
        throw new Error(
            `${file.name} is not a mesh that can be read here: ` +
                'OBJ, STL, PLY, OFF or GLB, or a scene as JSON.',
        );
    }
    const bytes = await file.arrayBuffer();
    const answer = (await client.request({ kind: 'import', name: file.name, bytes }, [bytes])) as Imported;
    if (!answer.solid) {
        throw new Error(`${file.name}: ${answer.verdict}`);
    }
    const text = sceneOfMesh(file.name, answer.file.name, boxOf(answer.file.bytes));
    const verdict = `${file.name}, ${answer.triangles.toLocaleString('en')} triangles. ${answer.verdict}`;
    return { scene: { name: file.name, text, files: [answer.file] }, name: file.name, verdict };
}

/** The box of the vertices of a binary PLY as the engine writes it: coordinates first. */
function boxOf(ply: ArrayBuffer): Box {
    const head = new TextDecoder('latin1').decode(new Uint8Array(ply, 0, Math.min(2048, ply.byteLength)));
    const begin = head.indexOf('end_header\n') + 'end_header\n'.length;
    const [, count, properties] = /element vertex (\d+)\n((?:property .*\n)+)/.exec(head) ?? ['', '0', ''];
    const kinds = properties!
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[1]!);
    const bytesOf = (kind: string): number => (kind === 'double' ? 8 : kind === 'uchar' ? 1 : 4);
    const stride = kinds.reduce((sum, kind) => sum + bytesOf(kind), 0);
    const width = bytesOf(kinds[0] ?? 'float');
    const view = new DataView(ply, begin);
    const low: Vec3 = [Infinity, Infinity, Infinity];
    const high: Vec3 = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < Number(count); ++i) {
        for (let k = 0; k < 3; ++k) {
            const at = i * stride + k * width;
            const value = width === 8 ? view.getFloat64(at, true) : view.getFloat32(at, true);
            low[k] = Math.min(low[k]!, value);
            high[k] = Math.max(high[k]!, value);
        }
    }
    return { low, high };
}

export async function download(client: EngineClient, what: ExportKind): Promise<string> {
    const answer = await client.request({ kind: 'export', what });
    if (answer.kind !== 'exported') {
        throw new Error('the engine gave no file');
    }
    const url = URL.createObjectURL(new Blob([answer.bytes], { type: answer.mime }));
    const link = document.createElement('a');
    link.href = url;
    link.download = answer.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
    return answer.name;
}

/** Files that are dragged over the window; `over` says when to show that they may be dropped. */
export function onDrop(over: (dragging: boolean) => void, take: (file: File) => void): void {
    let depth = 0;
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
    window.addEventListener('dragenter', (event) => {
        if (hasFiles(event)) {
            event.preventDefault();
            depth += 1;
            over(true);
        }
    });
    window.addEventListener('dragover', (event) => hasFiles(event) && event.preventDefault());
    window.addEventListener('dragleave', (event) => {
        if (hasFiles(event)) {
            depth = Math.max(0, depth - 1);
            over(depth > 0);
        }
    });
    window.addEventListener('drop', (event) => {
        event.preventDefault();
        depth = 0;
        over(false);
        const file = event.dataTransfer?.files[0];
        if (file !== undefined) {
            take(file);
        }
    });
}
