// Thousands of pieces in a few draw calls: one batch for each material and part (skin, crack faces). Geometry
// of meshes that no body uses any more is kept until memory is needed.
import { BatchedMesh, BufferAttribute, BufferGeometry, Color, Matrix4, Scene } from 'three';
import { coatOf } from './looks.ts';
import type { Part } from './looks.ts';

export interface MeshData {
    positions: Float32Array;
    normals: Float32Array;
    indices: Uint32Array;
    crackStart: number;
}

interface Held {
    geometry: number;
    uses: number;
    vertices: number;
    indices: number;
}

/** Vertices and triangles of one part, numbered from 0; undefined when the mesh has none of it. */
export function partOf(
    mesh: MeshData,
    part: Part,
    place: (x: number, y: number, z: number, out: Float32Array, at: number) => void,
): BufferGeometry | undefined {
    const begin = part === 'skin' ? 0 : mesh.crackStart;
    const end = part === 'skin' ? mesh.crackStart : mesh.indices.length;
    if (end <= begin) {
        return undefined;
    }
    const numbers = new Int32Array(mesh.positions.length / 3).fill(-1);
    const order: number[] = [];
    const indices = new Uint32Array(end - begin);
    for (let i = begin; i < end; ++i) {
        const vertex = mesh.indices[i]!;
        if (numbers[vertex]! < 0) {
            numbers[vertex] = order.length;
            order.push(vertex);
        }
        indices[i - begin] = numbers[vertex]!;
    }
    const positions = new Float32Array(order.length * 3);
    const normals = new Float32Array(order.length * 3);
    const pattern = new Float32Array(order.length * 3);
    for (let i = 0; i < order.length; ++i) {
        const from = order[i]! * 3;
        for (let k = 0; k < 3; ++k) {
            positions[3 * i + k] = mesh.positions[from + k]!;
            normals[3 * i + k] = mesh.normals[from + k]!;
        }
        place(positions[3 * i]!, positions[3 * i + 1]!, positions[3 * i + 2]!, pattern, 3 * i);
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(positions, 3));
    geometry.setAttribute('normal', new BufferAttribute(normals, 3));
    geometry.setAttribute('pattern', new BufferAttribute(pattern, 3));
    geometry.setIndex(new BufferAttribute(indices, 1));
    return geometry;
}

export class Batch {
    private readonly mesh: BatchedMesh;
    private readonly held = new Map<number, Held>();
    private instances = 0;
    private instanceRoom = 64;
    private vertices = 0;
    private vertexRoom = 16384;
    private indices = 0;
    private indexRoom = 49152;

    constructor(
        private readonly scene: Scene,
        preset: string,
        part: Part,
    ) {
        const coat = coatOf(preset, part);
        this.mesh = new BatchedMesh(this.instanceRoom, this.vertexRoom, this.indexRoom, coat.material);
        this.mesh.frustumCulled = false; // each body is culled by itself
        this.mesh.sortObjects = coat.material.transparent;
        this.mesh.castShadow = true;
        this.mesh.receiveShadow = true;
        if (coat.shadow !== undefined) {
            this.mesh.customDepthMaterial = coat.shadow;
            this.mesh.renderOrder = 2;
        }
        scene.add(this.mesh);
    }

    has(key: number): boolean {
        return this.held.has(key);
    }

    /** Keep a geometry under a key, to be drawn by add(). */
    hold(key: number, geometry: BufferGeometry): void {
        const vertices = geometry.getAttribute('position').count;
        const indices = geometry.getIndex()!.count;
        this.makeRoom(vertices, indices);
        this.held.set(key, { geometry: this.mesh.addGeometry(geometry), uses: 0, vertices, indices });
        this.vertices += vertices;
        this.indices += indices;
        geometry.dispose();
    }

    add(key: number, color: Color): number {
        if (this.instances === this.instanceRoom) {
            this.instanceRoom *= 2;
            this.mesh.setInstanceCount(this.instanceRoom);
        }
        const held = this.held.get(key)!;
        held.uses += 1;
        this.instances += 1;
        const instance = this.mesh.addInstance(held.geometry);
        this.mesh.setColorAt(instance, color);
        return instance;
    }

    remove(key: number, instance: number): void {
        this.mesh.deleteInstance(instance);
        this.instances -= 1;
        this.held.get(key)!.uses -= 1;
    }

    place(instance: number, pose: Matrix4): void {
        this.mesh.setMatrixAt(instance, pose);
    }

    dispose(): void {
        this.scene.remove(this.mesh);
        this.mesh.dispose();
        (this.mesh.material as { dispose(): void }).dispose();
    }

    private makeRoom(vertices: number, indices: number): void {
        if (this.vertices + vertices <= this.vertexRoom && this.indices + indices <= this.indexRoom) {
            return;
        }
        this.dropUnused();
        while (this.vertices + vertices > this.vertexRoom) {
            this.vertexRoom *= 2;
        }
        while (this.indices + indices > this.indexRoom) {
            this.indexRoom *= 2;
        }
        this.mesh.setGeometrySize(this.vertexRoom, this.indexRoom);
    }

    private dropUnused(): void {
        for (const [key, held] of this.held) {
            if (held.uses === 0) {
                this.mesh.deleteGeometry(held.geometry);
                this.held.delete(key);
                this.vertices -= held.vertices;
                this.indices -= held.indices;
            }
        }
        this.mesh.optimize();
    }
}
