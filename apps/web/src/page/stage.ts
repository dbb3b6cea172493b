// The picture: renderer, light, floor and camera. Throws when there is no WebGL; the page goes on without a
// picture then.
import {
    ACESFilmicToneMapping,
    CanvasTexture,
    CircleGeometry,
    DirectionalLight,
    Frustum,
    HemisphereLight,
    Matrix4,
    Mesh,
    MeshStandardMaterial,
    PCFShadowMap,
    PerspectiveCamera,
    Scene,
    Sphere,
    SRGBColorSpace,
    Vector3,
    WebGLRenderer,
} from 'three';
import type { Camera } from '../engine/protocol.ts';
import { setPlainCoats } from './looks.ts';
import type { Plane } from './playback.ts';
import { studioLight } from './studio.ts';

type Floor = Mesh<CircleGeometry, MeshStandardMaterial>;
export type Quality = 'auto' | 'high' | 'plain';

function backdrop(): CanvasTexture {
    const canvas = document.createElement('canvas');
    canvas.width = 4;
    canvas.height = 256;
    const context = canvas.getContext('2d')!;
    const gradient = context.createLinearGradient(0, 0, 0, 256);
    for (const [at, color] of [
        [0, '#97a5b0'],
        [0.4, '#ccd3d7'],
        [0.55, '#d5d8d8'],
        [1, '#b9b7b2'],
    ] as const) {
        gradient.addColorStop(at, color);
    }
    context.fillStyle = gradient;
    context.fillRect(0, 0, 4, 256);
    const texture = new CanvasTexture(canvas);
    texture.colorSpace = SRGBColorSpace;
    return texture;
}

export class Stage {
    readonly scene = new Scene();
    readonly camera = new PerspectiveCamera(40, 1, 0.01, 500);
    readonly renderer: WebGLRenderer;
    readonly target = new Vector3();
    /** Whether the machine draws without a graphics card. */
    readonly software: boolean;
    private readonly sun = new DirectionalLight('#fff1de', 3.1);
    private readonly floors = new Map<number, Floor>();
    private home: Camera = { eye: [2, 1.5, 3], target: [0, 0.4, 0], fov: 40 };
    private right = 0;
    private bottom = 0;
    private level: number;
    private quality: Quality = 'auto';
    private slowness = 0;
    private measured = 0;
    private sharp = false;
    private prepared = -1;
    private preparing = false;
    private reach = 1;
    private lookedFrom = -1;
    private readonly frustum = new Frustum();
    private readonly product = new Matrix4();
    private readonly sphere = new Sphere();

    constructor(readonly canvas: HTMLCanvasElement) {
        this.software = isSoftware();
        setPlainCoats(this.software);
        this.renderer = new WebGLRenderer({
            canvas,
            antialias: !this.software,
            powerPreference: 'high-performance',
        });
        this.level = this.software ? 0 : 1;
        this.renderer.toneMapping = ACESFilmicToneMapping;
        this.renderer.toneMappingExposure = 1.12;
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = PCFShadowMap;
        this.renderer.shadowMap.autoUpdate = false;
        this.light();
        this.applyLevel();
    }

    /** The scene's own camera; the view is widened until that of a square window fits. */
    setHome(camera: Camera | undefined): void {
        this.home = camera ?? this.home;
        this.goHome();
    }

    goHome(): void {
        this.camera.position.set(...this.home.eye);
        this.target.set(...this.home.target);
        this.camera.lookAt(this.target);
        this.fitShadows();
        this.resize();
    }

    /** Pixels at the right and at the bottom that panels cover: the scene is in the middle of the rest. */
    setMargins(right: number, bottom: number): void {
        this.right = right;
        this.bottom = bottom;
        this.resize();
    }

    resize(): void {
        const width = Math.max(1, this.canvas.clientWidth);
        const height = Math.max(1, this.canvas.clientHeight);
        const free = Math.max(120, width - this.right);
        const aspect = free / Math.max(120, height - this.bottom);
        // The vertical angle is of the free part of the window; the camera gets that of all of it.
        const half =
            Math.tan((this.home.fov * Math.PI) / 360) *
            Math.max(1, 0.95 / aspect) *
            (height / Math.max(120, height - this.bottom));
        this.renderer.setSize(width, height, false);
        this.camera.fov = Math.min(120, (360 / Math.PI) * Math.atan(half));
        this.camera.aspect = width / height;
        this.camera.setViewOffset(width, height, this.right / 2, this.bottom / 2, width, height);
        this.camera.updateProjectionMatrix();
    }

    setQuality(quality: Quality): void {
        this.quality = quality;
        this.level = quality === 'high' ? 2 : quality === 'plain' ? -1 : this.software ? 0 : 1;
        this.applyLevel();
    }

    /** Tell how long a picture took (ms): under 'auto' the resolution follows. Returns whether it changed. */
    measure(ms: number): boolean {
        this.slowness += (Math.min(ms, 400) - this.slowness) * 0.08;
        this.measured += 1;
        if (this.quality !== 'auto' || this.measured < 25) {
            return false;
        }
        // Without a graphics card nothing is fluent: a picture that is not too coarse is worth more.
        const [slow, quick] = this.software ? [150, 50] : [30, 14];
        const next =
            this.slowness > slow
                ? Math.max(-1, this.level - 1)
                : this.slowness < quick
                  ? Math.min(2, this.level + 1)
                  : this.level;
        this.measured = 0;
        if (next === this.level) {
            return false;
        }
        this.level = next;
        this.applyLevel();
        return true;
    }

    setPlanes(planes: Iterable<Plane>): void {
        const left = new Set(this.floors.keys());
        for (const plane of planes) {
            left.delete(plane.slot);
            const floor = this.floors.get(plane.slot) ?? this.makeFloor();
            const level = plane.normal.y > 0.999;
            floor.position.copy(plane.point);
            floor.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), plane.normal);
            floor.scale.setScalar(this.camera.position.distanceTo(this.target) * (level ? 7 : 3));
            this.floors.set(plane.slot, floor);
        }
        for (const slot of left) {
            const floor = this.floors.get(slot)!;
            this.scene.remove(floor);
            floor.geometry.dispose();
            floor.material.dispose();
            this.floors.delete(slot);
        }
    }

    /** Whether a ball is in the picture or may throw a shadow into it. */
    sees(center: Vector3, radius: number): boolean {
        if (this.lookedFrom !== this.renderer.info.render.frame) {
            this.lookedFrom = this.renderer.info.render.frame;
            this.camera.updateMatrixWorld();
            this.frustum.setFromProjectionMatrix(
                this.product.multiplyMatrices(this.camera.projectionMatrix, this.camera.matrixWorldInverse),
            );
        }
        this.sphere.center.copy(center);
        this.sphere.radius = 2 * radius;
        return center.distanceTo(this.target) < 12 * this.reach && this.frustum.intersectsSphere(this.sphere);
    }

    /** Make the shaders that are missing, beside everything else. Returns whether all are there. */
    prepare(batches: number): boolean {
        if (batches !== this.prepared && !this.preparing) {
            this.preparing = true;
            this.prepared = batches;
            const done = (): void => {
                this.preparing = false;
            };
            this.renderer.compileAsync(this.scene, this.camera).then(done, done);
        }
        return !this.preparing;
    }

    /** `sharp`: nothing moves, so that this one picture may take its time. */
    render(shadowsToo: boolean, sharp: boolean): void {
        if (sharp !== this.sharp) {
            this.sharp = sharp;
            this.renderer.setPixelRatio(this.ratio());
        }
        this.renderer.shadowMap.needsUpdate ||= shadowsToo;
        this.renderer.render(this.scene, this.camera);
    }

    /** The ray through a place of the canvas, in pixels. */
    ray(x: number, y: number): { origin: Vector3; direction: Vector3 } {
        const at = new Vector3(
            (2 * x) / this.canvas.clientWidth - 1,
            1 - (2 * y) / this.canvas.clientHeight,
            0.5,
        );
        this.camera.updateMatrixWorld();
        const direction = at.unproject(this.camera).sub(this.camera.position).normalize();
        return { origin: this.camera.position.clone(), direction };
    }

    private light(): void {
        this.scene.environment = studioLight();
        this.scene.environmentIntensity = 0.5;
        this.scene.background = backdrop();
        this.scene.add(new HemisphereLight('#f2f6ff', '#b9ab9a', 0.25));
        this.sun.castShadow = true;
        this.sun.shadow.radius = 3.5;
        this.sun.shadow.bias = -0.0003;
        this.scene.add(this.sun, this.sun.target);
    }

    private fitShadows(): void {
        const reach = Math.max(0.6, this.camera.position.distanceTo(this.target) * 0.75);
        this.reach = reach;
        this.sun.target.position.copy(this.target);
        this.sun.position
            .copy(this.target)
            .addScaledVector(new Vector3(0.55, 1.15, 0.62).normalize(), 3 * reach);
        const box = this.sun.shadow.camera;
        box.left = box.bottom = -reach;
        box.right = box.top = reach;
        box.near = 0.5 * reach;
        box.far = 6.5 * reach;
        this.sun.shadow.normalBias = 0.0018 * reach;
        box.updateProjectionMatrix();
        this.camera.near = reach * 0.01;
        this.camera.far = reach * 60;
        for (const floor of this.floors.values()) {
            floor.scale.setScalar(reach * 9);
        }
        this.renderer.shadowMap.needsUpdate = true;
    }

    private makeFloor(): Floor {
        const material = new MeshStandardMaterial({
            color: '#95938f',
            roughness: 0.9,
            transparent: true,
            envMapIntensity: 0.7,
        });
        material.onBeforeCompile = (shader) => {
            const begin = '#include <begin_vertex>';
            const vertex = shader.vertexShader.replace(begin, `${begin}\nvFloor = position.xy;`);
            shader.vertexShader = `varying vec2 vFloor;\n${vertex}`;
            shader.fragmentShader = `varying vec2 vFloor;\n${shader.fragmentShader.replace(
                '#include <opaque_fragment>',
                'diffuseColor.a *= 1.0 - smoothstep(0.12, 0.95, length(vFloor));\n#include <opaque_fragment>',
            )}`;
        };
        const floor = new Mesh(new CircleGeometry(1, 72), material);
        floor.receiveShadow = true;
        floor.renderOrder = -1;
        this.scene.add(floor);
        return floor;
    }

    private ratio(): number {
        const full = Math.min(2, devicePixelRatio);
        // Without a graphics card edges are not smoothed: more pixels do that for a picture that stands
        // still.
        const still = this.software ? Math.max(full, 1.5) : full;
        return this.sharp
            ? this.quality === 'plain'
                ? 1
                : still
            : [0.5, 0.75, Math.min(1.25, full), full][this.level + 1]!;
    }

    /** -1 and 0: without a graphics card, 1: usual, 2: best. */
    private applyLevel(): void {
        const size = [2048, 2048, 2048, 4096][this.level + 1]!;
        this.renderer.setPixelRatio(this.ratio());
        if (this.sun.shadow.mapSize.x !== size) {
            this.sun.shadow.mapSize.set(size, size);
            this.sun.shadow.map?.dispose();
            this.sun.shadow.map = null;
        }
        this.renderer.shadowMap.needsUpdate = true;
        this.resize();
    }
}

/** Found out with a canvas of its own: whether edges are smoothed has to be said when the first one is set
 * up. */
function isSoftware(): boolean {
    const context = document.createElement('canvas').getContext('webgl2');
    const extension = context?.getExtension('WEBGL_debug_renderer_info') ?? null;
    const name = extension === null ? '' : String(context!.getParameter(extension.UNMASKED_RENDERER_WEBGL));
    context?.getExtension('WEBGL_lose_context')?.loseContext();
    return /swiftshader|llvmpipe|software/i.test(name);
}
