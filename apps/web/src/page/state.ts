// What tests and curious people may read from the console: rubble.state(), rubble.screenOf('plate 1.1').
import { Vector3 } from 'three';
import type { Stats } from '../engine/protocol.ts';
import type { App } from './app.ts';

export interface State {
    scene: string;
    version: string;
    loads: number;
    steps: number;
    pictures: number;
    drawn: number;
    drawCalls: number;
    triangles: number;
    playing: boolean;
    hash: string;
    stats: Stats | undefined;
}

declare global {
    interface Window {
        rubble: { state(): State; screenOf(name: string): { x: number; y: number } | undefined };
    }
}

export function exposeState(app: App): void {
    window.rubble = Object.freeze({
        state: (): State => ({
            scene: app.sceneFile,
            version: app.version,
            loads: app.loads,
            steps: app.steps,
            pictures: app.pictures,
            drawn: app.playback.drawn.size,
            drawCalls: app.stage?.renderer.info.render.calls ?? 0,
            triangles: app.stage?.renderer.info.render.triangles ?? 0,
            playing: app.playing,
            hash: app.figures.hash,
            stats: structuredClone(app.stats),
        }),
        screenOf: (name: string) => screenOf(app, name),
    });
}

/** Pixels of the middle of a body, by name. */
function screenOf(app: App, name: string): { x: number; y: number } | undefined {
    const body = [...app.playback.drawn.values()].find((one) => one.info.name === name);
    if (body === undefined || app.stage === undefined) {
        return undefined;
    }
    const { clientWidth: width, clientHeight: height } = app.stage.canvas;
    app.stage.camera.updateMatrixWorld();
    const at = new Vector3().copy(body.center).project(app.stage.camera);
    return { x: ((at.x + 1) / 2) * width, y: ((1 - at.y) / 2) * height };
}
