// Lines and points over the bodies, as the engine sends them.
import {
    BufferAttribute,
    BufferGeometry,
    Color,
    LineBasicMaterial,
    LineSegments,
    Points,
    Scene,
    ShaderMaterial,
} from 'three';
import type { Overlay } from '../engine/protocol.ts';

const color = new Color();

/** Split x y z [size] r g b, colours from sRGB to linear. */
function split(
    data: Float32Array,
    stride: number,
): { at: Float32Array; colors: Float32Array; sizes: Float32Array } {
    const count = Math.floor(data.length / stride);
    const at = new Float32Array(count * 3);
    const colors = new Float32Array(count * 3);
    const sizes = new Float32Array(count);
    for (let i = 0; i < count; ++i) {
        const from = i * stride;
        at.set(data.subarray(from, from + 3), 3 * i);
        sizes[i] = stride === 7 ? data[from + 3]! : 1;
        const rgb = from + stride - 3;
        color.setRGB(data[rgb]!, data[rgb + 1]!, data[rgb + 2]!, 'srgb').toArray(colors, 3 * i);
    }
    return { at, colors, sizes };
}

export class OverlayView {
    private readonly lines = new LineSegments(
        new BufferGeometry(),
        new LineBasicMaterial({ vertexColors: true, depthTest: false, toneMapped: false, transparent: true }),
    );
    private readonly points = new Points(
        new BufferGeometry(),
        new ShaderMaterial({
            depthTest: false,
            transparent: true,
            uniforms: { ratio: { value: 1 } },
            vertexShader: `attribute float size; attribute vec3 color; varying vec3 vColor; uniform float ratio;
            void main() { vColor = color; gl_PointSize = size * ratio;
                gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,
            fragmentShader: `varying vec3 vColor;
            void main() { float r = length(gl_PointCoord - 0.5); if (r > 0.5) discard;
                gl_FragColor = vec4(vColor, 0.92);
                #include <colorspace_fragment>
            }`,
        }),
    );

    constructor(scene: Scene) {
        for (const object of [this.lines, this.points]) {
            object.frustumCulled = false;
            object.renderOrder = 4;
            object.visible = false;
            scene.add(object);
        }
    }

    /** Returns whether there is something else to see than before. */
    show(overlay: Overlay | undefined, pixelRatio: number): boolean {
        const was = this.lines.visible || this.points.visible;
        (this.points.material as ShaderMaterial).uniforms['ratio']!.value = pixelRatio;
        this.lines.visible = (overlay?.lines.length ?? 0) > 0;
        this.points.visible = (overlay?.points.length ?? 0) > 0;
        if (overlay !== undefined) {
            fill(this.lines.geometry, split(overlay.lines, 6));
            fill(this.points.geometry, split(overlay.points, 7));
        }
        return was || this.lines.visible || this.points.visible;
    }
}

function fill(
    geometry: BufferGeometry,
    parts: { at: Float32Array; colors: Float32Array; sizes: Float32Array },
): void {
    // New buffers: the number of lines differs from frame to frame, and these are few and for looking
    // closely.
    geometry.dispose();
    geometry.setAttribute('position', new BufferAttribute(parts.at, 3));
    geometry.setAttribute('color', new BufferAttribute(parts.colors, 3));
    geometry.setAttribute('size', new BufferAttribute(parts.sizes, 1));
}
