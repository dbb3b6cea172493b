// The order in which pages are read. Every page of docs/ is in it once: the build fails otherwise. Entries
// are sources, from the root of the repository; those without are made by other parts of the generator.

export const NAVIGATION = [
    {
        title: 'Start',
        entries: [
            { url: 'index.html', title: 'Rubble' },
            { source: 'README.md', url: 'docs/overview.html', title: 'Overview' },
            { url: 'play/index.html', title: 'Playground' },
            { url: 'gallery/index.html', title: 'Gallery' },
            { source: 'docs/architecture.md' },
            { source: 'docs/glossary.md' },
        ],
    },
    {
        title: 'Breaking things',
        entries: [
            { source: 'docs/scenes.md' },
            { source: 'docs/fracture.md' },
            { source: 'docs/patterns.md' },
            { source: 'docs/breakers.md' },
            { source: 'docs/stress.md' },
            { source: 'docs/dataset.md' },
        ],
    },
    {
        title: 'Runs',
        entries: [
            { source: 'docs/recording.md' },
            { source: 'docs/pictures.md' },
            { source: 'docs/from-a-run.md', title: 'To Blender and others' },
            { source: 'docs/web.md' },
        ],
    },
    {
        title: 'The engine',
        entries: [
            { source: 'docs/world.md' },
            { source: 'docs/step.md' },
            { source: 'docs/validation.md' },
            { source: 'docs/tuning.md' },
            { source: 'docs/joints.md' },
            { source: 'docs/shapes.md' },
            { source: 'docs/fields.md' },
            { source: 'docs/broad-phase.md' },
        ],
    },
    {
        title: 'Meshes and solids',
        entries: [
            { source: 'docs/mesh.md' },
            { source: 'docs/repair.md' },
            { source: 'docs/simplification.md' },
            { source: 'docs/isosurface.md' },
            { source: 'docs/solids.md' },
            { source: 'docs/mass.md' },
            { source: 'docs/bvh.md' },
            { source: 'docs/tetrahedra.md' },
            { source: 'docs/elasticity.md' },
            { source: 'docs/formats.md' },
            { source: 'docs/gltf.md' },
            { source: 'docs/math.md' },
        ],
    },
    {
        title: 'Reference',
        entries: [
            { url: 'api/index.html', title: 'C API' },
            { source: 'docs/scene-reference.md' },
            { source: 'docs/cli.md' },
            { source: 'docs/cli-json.md' },
            { source: 'docs/benchmarks.md' },
            { source: 'CHANGELOG.md', url: 'docs/changelog.html' },
            { source: 'CONTRIBUTING.md', url: 'docs/contributing.html' },
        ],
    },
];

/** Where the page of a source is in the site: docs/step.md is docs/step.html. */
const urlOf = (entry) => entry.url ?? entry.source.replace(/\.md$/, '.html');

/**
 * The navigation with a url everywhere, checked against the pages that there are.
 * Throws with all that is missing or unknown.
 */
export function resolveNavigation(navigation, sources) {
    const groups = navigation.map(({ title, entries }) => ({
        title,
        entries: entries.map((entry) => ({ ...entry, url: urlOf(entry) })),
    }));
    const listed = groups.flatMap(({ entries }) => entries.map(({ source }) => source).filter(Boolean));
    const problems = [
        ...sources
            .filter((source) => !listed.includes(source))
            .map((source) => `${source} is not in the navigation`),
        ...listed
            .filter((source) => !sources.includes(source))
            .map((source) => `${source} is in the navigation, but not there`),
        ...listed
            .filter((source, index) => listed.indexOf(source) !== index)
            .map((source) => `${source} is in it twice`),
    ];
    if (problems.length) {
        throw new Error(`apps/web/site/navigation.mjs: ${problems.join('; ')}`);
    }
    return groups;
}
