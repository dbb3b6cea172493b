// USD files, read by two programs that are not ours: TinyUSDZ takes the stage in (bodies, names, meshes), and three.js'
// reader gives back the time samples, which are compared with the CSV export.
// Usage: RUBBLE_NODE_MODULES=FOLDER node check_usd.mjs RUN.usda RUN.csv
import fs from 'node:fs';
import { pathToFileURL } from 'node:url';

const [file, table] = process.argv.slice(2);
const modules = `${process.env.RUBBLE_NODE_MODULES}/node_modules`;
const load = (name) => import(pathToFileURL(`${modules}/${name}`).href);

function check(condition, ...words) {
    if (!condition) {
        console.error('usd:', file, ...words);
        process.exit(1);
    }
}

// ---- the table ----

const rows = fs.readFileSync(table, 'utf8').trim().split('\n').slice(1).map((line) => {
    const [, step, id, name, numbers] = /^(\d+),[^,]*,(\d+),"((?:[^"]|"")*)",(.*)$/.exec(line);
    return { step: +step, id: +id, name: name.replaceAll('""', '"'), numbers: numbers.split(',').map(Number) };
});
const names = new Map(rows.map((row) => [row.id, row.name]));

// ---- TinyUSDZ: made for pages ----

globalThis.window = globalThis;
globalThis.location = { href: 'file:///' };
process.type = 'renderer';
const tiny = await (await load('tinyusdz/tinyusdz.js')).default({
    wasmBinary: fs.readFileSync(`${modules}/tinyusdz/tinyusdz.wasm`),
});
const loader = new tiny.TinyUSDZLoaderNative();
check(loader.loadFromBinary(fs.readFileSync(file), 'run.usda'), 'TinyUSDZ refuses it');
const root = loader.getDefaultRootNode();
const bodies = root.children.find((node) => node.primName === 'Bodies').children;
check(root.primName === 'World' && bodies.length === names.size, bodies.length, 'bodies, not', names.size);
for (const [id, name] of names) {
    const body = bodies.find((node) => node.primName === `body_${id}`);
    check(body !== undefined && body.displayName === name, `body ${id} is not ${name}`);
}

// ---- three.js ----

const { USDAParser } = await load('three/examples/jsm/loaders/usd/USDAParser.js');
const text = fs.readFileSync(file, 'utf8');
for (const line of ['metersPerUnit = 1', 'upAxis = "Y"']) {
    check(text.includes(line), 'has no', line);
}
const prims = new USDAParser().parseText(text)['def Xform "World"']['def Xform "Bodies"'];

// [step, numbers] by rising step; a value without samples holds at all times.
function samplesOf(prim, name) {
    const numbers = (value) => value.replace(/[()]/g, '').split(',').map(Number);
    const sampled = prim[`${name}.timeSamples`];
    if (sampled === undefined) {
        return [[0, numbers(prim[name])]];
    }
    return Object.entries(sampled).map(([step, value]) => [+step, numbers(value.replace(/,$/, ''))])
        .sort((a, b) => a[0] - b[0]);
}

function valueAt(samples, step) {
    const after = samples.findIndex(([at]) => at >= step);
    if (after <= 0) {
        return samples[after < 0 ? samples.length - 1 : 0][1];
    }
    const [[from, a], [to, b]] = [samples[after - 1], samples[after]];
    const part = (step - from) / (to - from);
    return a.map((x, i) => x + part * (b[i] - x));
}

let worst = 0;
const motions = new Map([...names.keys()].map((id) => {
    const prim = prims[`def Xform "body_${id}"`];
    return [id, [samplesOf(prim, 'double3 xformOp:translate'), samplesOf(prim, 'quatf xformOp:orient')]];
}));
for (const { step, id, numbers } of rows) {
    const [places, turns] = motions.get(id);
    const [w, x, y, z] = valueAt(turns, step);
    const found = [...valueAt(places, step), x, y, z, w];
    found.forEach((value, i) => { worst = Math.max(worst, Math.abs(value - numbers[i])); });
}
check(worst < 1e-4, `a pose is off by ${worst}`);
console.log(`usd: TinyUSDZ: ${bodies.length} bodies, ${loader.numMeshes()} meshes; three.js: ${rows.length} poses within ${worst.toPrecision(2)}`);
