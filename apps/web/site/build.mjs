// Builds the site around the playground: front page, guide from docs/, references, gallery.
//   node apps/web/site/build.mjs [--out FOLDER] [--tool RUBBLE] [--without-playground] [--without-gallery]
// Fails on pages that are not in the navigation, on public functions without a comment, and on dead links.
// The playground is built into OUT/play by vite, before or after; it is left alone.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { headerPage, indexPage, symbolLink, symbolTable } from './api.mjs';
import { frontPage } from './front.mjs';
import { galleryPage, galleryPictures } from './gallery.mjs';
import { parseHeader, undocumented } from './header.mjs';
import { imageSize } from './image.mjs';
import { renderPage } from './layout.mjs';
import { checkLinks } from './links.mjs';
import { renderMarkdown } from './markdown.mjs';
import { NAVIGATION, resolveNavigation } from './navigation.mjs';
import { searchIndex } from './search.mjs';
import { relativeUrl } from './text.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const EXTRA_SOURCES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md'];

const read = (root, path) => readFileSync(join(root, path), 'utf8');

export function readHeaders(root) {
    const folder = join(root, 'include', 'rubble');
    const names = readdirSync(folder)
        .filter((name) => name.endsWith('.h'))
        .sort();
    const headers = names.map((name) =>
        parseHeader(`rubble/${name}`, readFileSync(join(folder, name), 'utf8')),
    );
    const silent = undocumented(headers);
    if (silent.length) {
        throw new Error(`public functions without a comment:\n  ${silent.join('\n  ')}`);
    }
    return headers;
}

function docsSources(root) {
    const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
    return [
        ...EXTRA_SOURCES.filter((name) => existsSync(join(root, name))),
        ...pages.map((name) => `docs/${name}`),
    ];
}

/** Files of docs/ that are no pages keep their places: pictures, the schema. */
function copyFiles(root, out) {
    for (const entry of readdirSync(join(root, 'docs'))) {
        if (!entry.endsWith('.md')) {
            cpSync(join(root, 'docs', entry), join(out, 'docs', entry), { recursive: true });
        }
    }
    mkdirSync(join(out, 'assets'), { recursive: true });
    for (const name of ['site.css', 'pages.css', 'site.js', 'icon.svg']) {
        cpSync(join(HERE, 'assets', name), join(out, 'assets', name));
    }
}

/** Where links of the sources lead: sources to their pages, headers to the reference. */
class Addresses {
    constructor(groups, headers, symbols, commands) {
        this.pages = new Map();
        this.symbols = symbols;
        this.commands = commands;
        for (const { source, url } of groups.flatMap(({ entries }) => entries)) {
            this.pages.set(source ?? url, url);
        }
        for (const { name } of headers) {
            this.pages.set(`include/${name}`, `api/${name.replace(/^rubble\/(.*)\.h$/, '$1.html')}`);
        }
    }

    /** Of a link as it stands in `source`, for the page at `url`. */
    resolve(source, url, href) {
        if (/^([a-z][a-z0-9+.-]*:|#)/i.test(href)) {
            return href;
        }
        const [path, fragment] = href.split('#');
        const goal = posix.join(posix.dirname(source), path);
        const target = this.pages.get(goal) ?? goal;
        return relativeUrl(url, fragment === undefined ? target : `${target}#${fragment}`);
    }

    /** Of a word or path in code, for the page at `url`; undefined when it leads nowhere else. */
    ofCode(url, code) {
        const command = code.match(/^rubble ([a-z]+)( [a-z]+)?$/)?.[1];
        const page =
            this.pages.get(code) ?? this.pages.get(`docs/${code}`) ?? this.pages.get(`include/${code}`);
        const target =
            code === 'include/rubble/*.h' ? 'api/index.html' : (page ?? this.commands.get(command));
        if (target) {
            return target.split('#')[0] === url ? undefined : relativeUrl(url, target);
        }
        return symbolLink(this.symbols, url)(code);
    }
}

/** The section of each command of the tool, by the headings of docs/cli.md. */
function commandPlaces(root) {
    const { headings } = renderMarkdown(read(root, 'docs/cli.md'));
    return new Map(
        headings
            .filter(({ depth, text }) => depth === 2 && text.startsWith('rubble '))
            .map(({ id, text }) => [text.split(' ')[1], `docs/cli.html#${id}`]),
    );
}

function markdownPages(root, groups, addresses) {
    const entries = groups.flatMap((group) => group.entries).filter(({ source }) => source);
    return entries.map((entry) => {
        const page = renderMarkdown(read(root, entry.source), {
            resolve: (href) => addresses.resolve(entry.source, entry.url, href),
            linkOf: (code) => addresses.ofCode(entry.url, code),
            sizeOf: (href) => imageSize(join(root, posix.join(posix.dirname(entry.source), href))),
        });
        entry.title ??= page.title;
        return { url: entry.url, ...page, title: page.title || entry.title };
    });
}

/** The pages of headers belong below that of the API. */
function nameHeaders(groups, pages) {
    const index = groups.flatMap(({ entries }) => entries).find(({ url }) => url === 'api/index.html');
    index.children = pages
        .filter(({ url }) => url.startsWith('api/') && url !== index.url)
        .map(({ url, title }) => ({ url, title: title.replace(/^rubble\//, '') }));
}

function addWay(pages, groups) {
    const order = groups.flatMap(({ entries }) => entries).filter(({ url }) => !url.startsWith('play/'));
    for (const page of pages) {
        const at = order.findIndex(({ url }) => url === page.url);
        page.previous = at > 1 ? order[at - 1] : undefined;
        page.next = at > 0 ? order[at + 1] : undefined;
    }
}

function clear(out) {
    mkdirSync(out, { recursive: true });
    for (const name of readdirSync(out).filter((entry) => entry !== 'play')) {
        rmSync(join(out, name), { recursive: true });
    }
}

function version(headers) {
    const macro = (name) =>
        headers.flatMap(({ items }) => items).find((item) => item.name === `RBL_VERSION_${name}`);
    return ['MAJOR', 'MINOR', 'PATCH'].map((part) => macro(part)?.code.split(' ').at(-1) ?? '0').join('.');
}

/** Build it all; returns { pages, bytes of the search index, problems with links }. */
export function buildSite({ root, out, tool, withPlayground = true, withGallery = true }) {
    const headers = readHeaders(root);
    const symbols = symbolTable(headers);
    const groups = resolveNavigation(NAVIGATION, docsSources(root));
    const addresses = new Addresses(groups, headers, symbols, commandPlaces(root));
    const linkFor = (url) => (code) => addresses.ofCode(url, code);
    clear(out);
    copyFiles(root, out);
    const pictures = withGallery ? galleryPictures(root, tool, join(out, '..', 'stills')) : [];
    const pages = [
        ...markdownPages(root, groups, addresses),
        galleryPage(root, pictures, out),
        indexPage(headers, symbols, linkFor),
        ...headers.map((header) => headerPage(header, linkFor)),
    ];
    pages.push(frontPage(read(root, 'README.md'), linkFor('index.html')));
    nameHeaders(groups, pages);
    addWay(pages, groups);
    for (const page of pages) {
        mkdirSync(dirname(join(out, page.url)), { recursive: true });
        writeFileSync(join(out, page.url), renderPage({ ...page, version: version(headers) }, groups));
    }
    writeFileSync(join(out, 'assets', 'search-index.js'), searchIndex(pages, symbols));
    return { pages: pages.length, problems: checkLinks(out, withPlayground ? [] : ['play/']) };
}

function main() {
    const root = resolve(HERE, '..', '..', '..');
    const { values } = parseArgs({
        options: {
            out: { type: 'string', default: join(root, 'build', 'web', 'site') },
            tool: { type: 'string', default: join(root, 'build', 'release', 'apps', 'rubble', 'rubble') },
            'without-playground': { type: 'boolean', default: false },
            'without-gallery': { type: 'boolean', default: false },
        },
    });
    const { pages, problems } = buildSite({
        root,
        out: resolve(values.out),
        tool: values.tool,
        withPlayground: !values['without-playground'],
        withGallery: !values['without-gallery'],
    });
    for (const problem of problems) {
        console.error(`site: ${problem}`);
    }
    console.log(
        `site: ${pages} pages in ${values.out}${problems.length ? `, ${problems.length} dead links` : ''}`,
    );
    process.exitCode = problems.length ? 1 : 0;
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
    try {
        main();
    } catch (error) {
        console.error(`site: ${error.message}`);
        process.exitCode = 1;
    }
}
