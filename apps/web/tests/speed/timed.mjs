// A scene to its end, step by step. Runs in node and, served, in a browser.

/** Milliseconds of all steps, and the hash at the end. */
export function timeSteps(engine, text, name) {
    engine.load(text, name);
    const { duration, step } = engine.describe();
    const times = [];
    let look = engine.look();
    for (let i = 0; i < Math.round(duration / step); ++i) {
        engine.step();
        look = engine.look();
        times.push(look.stats.stepMs);
    }
    return { times, hash: look.hash };
}
