// The generator of the site: what it makes of markdown and headers, and that it fails where it should.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { commentHtml, headerPage, layOut, symbolLink, symbolTable } from '../../site/api.mjs';
import { buildSite } from '../../site/build.mjs';
import { sectionOf } from '../../site/front.mjs';
import { HeaderError, parseHeader, splitTop, undocumented } from '../../site/header.mjs';
import { highlight, languageOf } from '../../site/highlight.mjs';
import { checkLinks, scanPage } from '../../site/links.mjs';
import { renderMarkdown } from '../../site/markdown.mjs';
import { NAVIGATION, resolveNavigation } from '../../site/navigation.mjs';
import { searchEntries } from '../../site/search.mjs';
import { plainText, relativeUrl, shorten, Slugs } from '../../site/text.mjs';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', '..');

const HEADER = `/// Cups: what they are.
/// And a second line.
#ifndef RUBBLE_CUP_H
#define RUBBLE_CUP_H

#include "rubble/linkage.h"

RBL_EXTERN_C_BEGIN

/// The most handles.
#define RBL_MAX_HANDLES 4
#define RBL_MAX_CUPS    8 ///< on a table

/// What a cup is made of.
typedef enum rblCupKind
{
    RBL_CUP_CLAY = 1, ///< brittle
    RBL_CUP_TIN,
    RBL_CUP_GLASS ///< clear,
    ///< and thin
} rblCupKind;

typedef struct rblTea rblTea; ///< opaque

/// A cup. Start from rbl_default_cup().
typedef struct rblCup
{
    float height, width; ///< m
    double
        volume; ///< m^3,
                ///< when empty

    // Not for everyone:
    /// Called when it falls.
    void (*fall)(struct rblCup* cup, float speed,
                 void* context);
    uint32_t handles[RBL_MAX_HANDLES];
} rblCup;

/// Called for each cup.
typedef bool rblCupFcn(const rblCup* cup, void* context);

// ---- using them ----

// Cups may be used from any thread.

/// Fill it, and empty it again.
RBL_API rblResult rbl_cup_fill(rblCup* cup,
                               void (*done)(int code, void* context), void* context);
RBL_API void rbl_cup_empty(rblCup* cup);

RBL_API void rbl_cup_wash(void);

RBL_EXTERN_C_END

#endif
`;

const itemOf = (name, text = HEADER) =>
    parseHeader('rubble/cup.h', text).items.find((item) => item.name === name);
const withFolder = (files, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'rubble-site-'));
    for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), text);
    }
    try {
        return use(folder);
    } finally {
        rmSync(folder, { recursive: true });
    }
};

describe('headers', () => {
    test('declarations_come_in_order_with_sections_and_notes', () => {
        const { about, items } = parseHeader('rubble/cup.h', HEADER);
        assert.equal(about, 'Cups: what they are.\nAnd a second line.');
        assert.deepEqual(
            items.map((item) => `${item.kind} ${item.name ?? item.title ?? item.text}`),
            [
                'macro RBL_MAX_HANDLES',
                'macro RBL_MAX_CUPS',
                'enum rblCupKind',
                'opaque rblTea',
                'struct rblCup',
                'callback rblCupFcn',
                'section using them',
                'note Cups may be used from any thread.',
                'function rbl_cup_fill',
                'function rbl_cup_empty',
                'function rbl_cup_wash',
            ],
        );
    });

    test('a_comment_covers_what_follows_without_an_empty_line', () => {
        assert.equal(itemOf('rbl_cup_fill').doc, 'Fill it, and empty it again.');
        assert.equal(itemOf('rbl_cup_empty').doc, 'Fill it, and empty it again.');
        assert.equal(itemOf('rbl_cup_wash').doc, '');
        assert.equal(itemOf('RBL_MAX_CUPS').doc, 'The most handles.\non a table');
    });

    test('functions_without_a_comment_are_named_with_their_line', () => {
        const line = HEADER.split('\n').findIndex((text) => text.includes('rbl_cup_wash')) + 1;
        assert.deepEqual(undocumented([parseHeader('rubble/cup.h', HEADER)]), [
            `rubble/cup.h:${line}: rbl_cup_wash`,
        ]);
    });

    test('fields_keep_their_comments_over_several_lines', () => {
        const members = itemOf('rblCup').members;
        assert.deepEqual(members[0], { code: 'float height, width', names: ['height', 'width'], doc: 'm' });
        assert.deepEqual(members[1], { code: 'double volume', names: ['volume'], doc: 'm^3,\nwhen empty' });
        assert.deepEqual(members[2], { note: 'Not for everyone:' });
        assert.equal(members[3].code, 'void (*fall)(struct rblCup* cup, float speed, void* context)');
        assert.deepEqual(members[3].names, ['fall']);
        assert.equal(members[3].doc, 'Called when it falls.');
        assert.deepEqual(members[4], {
            code: 'uint32_t handles[RBL_MAX_HANDLES]',
            names: ['handles'],
            doc: '',
        });
    });

    test('values_of_enums_keep_numbers_and_comments_with_and_without_comma', () => {
        assert.deepEqual(itemOf('rblCupKind').members, [
            { code: 'RBL_CUP_CLAY = 1', names: ['RBL_CUP_CLAY'], doc: 'brittle' },
            { code: 'RBL_CUP_TIN', names: ['RBL_CUP_TIN'], doc: '' },
            { code: 'RBL_CUP_GLASS', names: ['RBL_CUP_GLASS'], doc: 'clear,\nand thin' },
        ]);
    });

    test('a_function_in_the_header_is_shown_by_its_declaration', () => {
        const text = '/// A clean one.\nstatic inline rblCup rbl_default_cup(void)\n{\n    return x;\n}\n';
        const [item] = parseHeader('x.h', text).items;
        assert.equal(item.kind, 'function');
        assert.equal(item.code, 'rblCup rbl_default_cup(void);');
        assert.equal(item.doc, 'A clean one.');
        assert.throws(() => parseHeader('x.h', 'static inline int rbl_x(void)\n{\n'), HeaderError);
    });

    test('functions_with_callbacks_as_parameters_keep_their_own_name', () => {
        const code =
            'rblResult rbl_cup_fill(rblCup* cup, void (*done)(int code, void* context), void* context);';
        assert.equal(itemOf('rbl_cup_fill').code, code);
        const lines = layOut(code, 40).split('\n');
        assert.deepEqual(lines.slice(1), [
            '    rblCup* cup,',
            '    void (*done)(int code, void* context),',
            '    void* context);',
        ]);
        assert.deepEqual(splitTop('a, b(c, d), e[1, 2]', ','), ['a', ' b(c, d)', ' e[1, 2]']);
    });

    test('what_is_not_understood_is_refused_with_its_line', () => {
        const refuse = (text, pattern) =>
            assert.throws(
                () => parseHeader('x.h', text),
                (error) => {
                    assert.ok(error instanceof HeaderError);
                    assert.match(error.message, pattern);
                    return true;
                },
            );
        refuse('\nextern int rbl_global;\n', /^x\.h:2: cannot tell/);
        refuse('/// One.\nRBL_API void rbl_open(int a,\n', /^x\.h:2: this declaration has no end/);
        refuse('typedef struct rblA\n{\n    int x;\n} rblB;\n', /^x\.h:1: expected/);
        refuse(
            'typedef struct rblA\n{\n    ///< of nothing\n    int x;\n} rblA;\n',
            /^x\.h:1: a comment for what comes before/,
        );
    });

    test('macros_that_depend_on_the_platform_are_listed_once', () => {
        const text =
            '/// Linkage.\n#ifndef G\n#define G\n' +
            '#if A\n#define RBL_API x\n#else\n#define RBL_API \\\n    y\n#endif\n#endif\n';
        assert.deepEqual(
            parseHeader('x.h', text).items.map(({ name, code }) => [name, code]),
            [['RBL_API', '#define RBL_API x']],
        );
    });

    test('every_header_of_the_library_is_understood', () => {
        const text = readFileSync(join(ROOT, 'include/rubble/rubble.h'), 'utf8');
        const names = [...text.matchAll(/#include "(rubble\/\w+\.h)"/g)].map((match) => match[1]);
        assert.ok(names.length > 20);
        let functions = 0;
        for (const name of names) {
            const source = readFileSync(join(ROOT, 'include', name), 'utf8');
            const { about, items } = parseHeader(name, source);
            assert.ok(about, `${name} says what it is about`);
            const found = items.filter(({ kind }) => kind === 'function').length;
            assert.equal(found, (source.match(/^(RBL_API|static inline) /gm) ?? []).length, name);
            functions += found;
        }
        assert.ok(functions > 100);
    });
});

describe('API pages', () => {
    const headers = [parseHeader('rubble/cup.h', HEADER)];
    const symbols = symbolTable(headers);
    const { html, headings } = headerPage(headers[0], (url) => symbolLink(symbols, url));

    test('names_have_places_and_types_lead_to_them', () => {
        for (const id of ['rbl_cup_fill', 'rblCup', 'RBL_CUP_TIN', 'RBL_MAX_CUPS', 'rblTea']) {
            assert.match(html, new RegExp(`id="${id}"`));
        }
        assert.match(html, /<a href="#rblCup"><span class="type">rblCup<\/span><\/a>/);
        assert.equal(symbols.get('RBL_CUP_GLASS').url, 'api/cup.html#RBL_CUP_GLASS');
    });

    test('headings_go_down_one_level_at_a_time', () => {
        const levels = [...html.matchAll(/<h(\d)/g)].map((match) => Number(match[1]));
        levels.reduce((above, level) => {
            assert.ok(level <= above + 1, levels.join(' '));
            return level;
        }, 0);
        assert.equal(headings[0].id, 'declarations');
    });

    test('comments_are_text_with_names_linked', () => {
        const link = (name) =>
            name === 'rbl_cup_fill()' || name === 'docs/world.md' ? 'there.html' : undefined;
        assert.deepEqual(
            commentHtml('a < b * c, see `x<y>`, rbl_cup_fill(), docs/world.md.\n\nMore.', link),
            [
                'a &lt; b * c, see <code>x&lt;y&gt;</code>, ' +
                    '<a class="code" href="there.html"><code>rbl_cup_fill()</code></a>, ' +
                    '<a class="code" href="there.html"><code>docs/world.md</code></a>.',
                'More.',
            ],
        );
    });
});

describe('markdown', () => {
    test('places_of_headings_are_those_of_code_hosts', () => {
        const slugs = new Slugs();
        assert.equal(slugs.next('The query (field_contact.h)'), 'the-query-field_contacth');
        assert.equal(slugs.next('5. Lasting contacts'), '5-lasting-contacts');
        assert.equal(slugs.next('A & b'), 'a--b');
        assert.equal(slugs.next('Same'), 'same');
        assert.equal(slugs.next('Same'), 'same-1');
    });

    test('html_is_text_and_comments_are_left_out', () => {
        const { html } = renderMarkdown(
            '<!-- made by -->\n\na <b>c</b> & <script>alert(1)</script>\n\n<div onclick="x">\n',
        );
        assert.ok(!/<script|<b>|<div onclick|made by/.test(html), html);
        assert.match(html, /&lt;script&gt;/);
    });

    test('tables_scroll_and_have_no_empty_headers', () => {
        const { html } = renderMarkdown('| a | |\n|---|---|\n| `x \\| y` | 2 |\n');
        assert.match(html, /<div class="table" tabindex="0"/);
        assert.match(html, /<th scope="col">a<\/th><td><\/td>/);
        assert.match(html, /<code>x \| y<\/code>/);
        assert.ok(!/<thead>/.test(renderMarkdown('| | |\n|---|---|\n| 1 | 2 |\n').html));
    });

    test('links_and_pictures_go_through_the_resolver', () => {
        const page = renderMarkdown('# T\n\n[w](world.md#sleep) ![p "q"](i.png)\n', {
            resolve: (href) => `at/${href}`,
            sizeOf: () => ({ width: 3, height: 2 }),
        });
        assert.match(page.html, /<a href="at\/world\.md#sleep">w<\/a>/);
        assert.match(
            page.html,
            /<img src="at\/i\.png" alt="p &quot;q&quot;" width="3" height="2" loading="lazy">/,
        );
        assert.equal(page.title, 'T');
    });

    test('names_in_code_become_links_but_not_inside_of_links', () => {
        const linkOf = (code) => (code === 'rbl_x()' ? 'x.html' : undefined);
        assert.match(
            renderMarkdown('`rbl_x()` `y`', { linkOf }).html,
            /<a class="code" href="x.html"><code>rbl_x\(\)<\/code><\/a> <code>y<\/code>/,
        );
        assert.ok(!/x\.html/.test(renderMarkdown('[`rbl_x()`](z.md)', { linkOf }).html));
    });

    test('paths_of_pages_in_plain_text_become_links', () => {
        const linkOf = (path) => (path === 'docs/a.md' ? 'a.html' : undefined);
        const { html } = renderMarkdown('See (docs/a.md), docs/b.md & <x>; [docs/a.md](c.md).', { linkOf });
        const links = [...html.matchAll(/href="(.*?)"/g)].map((match) => match[1]);
        assert.deepEqual(links, ['a.html', 'c.md']);
        assert.match(html, /docs\/b\.md &amp; &lt;x&gt;;/);
    });

    test('code_keeps_its_text_whatever_the_colours', () => {
        const samples = {
            c: '#include <stdio.h>\nint main(void) { return "a//b" != 0 && 1 < 2e-3f; /* & */ } // end',
            sh: 'rubble info "a b" --json | cat # c\n-x',
            json: '{"a": [1, -2.5e3, true], "b\\"": null}',
            js: 'const a = `x${1}`; // y\n"unclosed',
            '': '<plain> & "text"',
        };
        for (const [language, code] of Object.entries(samples)) {
            assert.equal(plainText(highlight(code, language)), code, language);
        }
        assert.match(highlight('# x', 'sh'), /comment/);
        assert.ok(!/comment/.test(highlight('a#b', 'sh')));
    });

    test('unlabelled_commands_are_shell_and_unknown_languages_plain', () => {
        assert.equal(languageOf('', 'rubble info x\n'), 'sh');
        assert.equal(languageOf(undefined, 'kinetic: m v'), '');
        assert.equal(languageOf('C', ''), 'c');
        assert.equal(languageOf('cobol', ''), '');
    });

    test('sections_of_the_readme_must_be_there', () => {
        assert.equal(sectionOf('# A\n## B\nb\n## C\nc\n', 'B'), 'b\n');
        assert.throws(() => sectionOf('# A\n', 'B'), /expected one section "B", found 0/);
    });
});

describe('addresses', () => {
    test('are_relative_between_any_two_pages', () => {
        assert.equal(relativeUrl('index.html', 'docs/a.html'), 'docs/a.html');
        assert.equal(relativeUrl('docs/a.html', 'docs/b.html#x'), 'b.html#x');
        assert.equal(relativeUrl('docs/a.html', 'api/b.html'), '../api/b.html');
        assert.equal(relativeUrl('docs/a.html', 'index.html'), '../index.html');
        assert.equal(relativeUrl('docs/a.html', 'docs/a.html#x'), '#x');
        assert.equal(relativeUrl('docs/a.html', ''), '../');
        assert.equal(relativeUrl('index.html', ''), './');
    });

    test('texts_are_shortened_at_sentences_or_words', () => {
        assert.equal(shorten('Short.', 10), 'Short.');
        assert.equal(shorten('One sentence. Another one follows', 20), 'One sentence.');
        assert.equal(shorten('many words without any end', 12), 'many words …');
    });
});

describe('links', () => {
    const page = (body) => `<!doctype html><html><body>${body}</body></html>`;

    test('dead_ones_are_found_by_page_and_target', () => {
        const files = {
            'index.html': page(
                '<a href="a/">a</a><a href="a/index.html#there">b</a><a href="https://example.org/">c</a>',
            ),
            'a/index.html': page(
                '<h1 id="there"></h1><a href="../index.html">up</a><img src="../p.png"><a href="#there">x</a>',
            ),
            'p.png': '',
        };
        assert.deepEqual(
            withFolder(files, (folder) => checkLinks(folder)),
            [],
        );
        const broken = {
            ...files,
            'b.html': page(
                '<a href="no.html">1</a><a href="a/#gone">2</a><img src="no.png"><a href="/a/">3</a>' +
                    '<script src="https://example.org/x.js"></script><a href="../out.html">4</a><i id="q"></i><i id="q"></i>',
            ),
        };
        assert.deepEqual(
            withFolder(broken, (folder) => checkLinks(folder)),
            [
                'b.html: two places are called q',
                'b.html: leads nowhere: no.html',
                'b.html: no such place in the page: a/#gone',
                'b.html: leads nowhere: no.png',
                'b.html: begins at the root of the host: /a/',
                'b.html: script fetches from elsewhere: https://example.org/x.js',
                'b.html: leads out of the site: ../out.html',
            ],
        );
    });

    test('folders_may_be_left_to_others', () => {
        const files = {
            'index.html': page('<a href="play/index.html">p</a>'),
            'docs/x.html': page('<a href="../play/">p</a>'),
        };
        assert.equal(withFolder(files, (folder) => checkLinks(folder)).length, 2);
        assert.deepEqual(
            withFolder(files, (folder) => checkLinks(folder, ['play/'])),
            [],
        );
    });

    test('text_that_looks_like_a_link_is_none', () => {
        assert.deepEqual(
            scanPage('<p>&lt;a href="x"&gt;</p><!-- <a href="y"> --><script>"<a href=\\"z\\">"</script>')
                .references,
            [],
        );
    });
});

describe('the whole site', () => {
    let folder;
    let result;
    before(() => {
        folder = mkdtempSync(join(tmpdir(), 'rubble-site-'));
        result = buildSite({
            root: ROOT,
            out: join(folder, 'site'),
            withPlayground: false,
            withGallery: false,
        });
    });
    after(() => rmSync(folder, { recursive: true }));

    test('builds_without_a_dead_link', () => {
        assert.deepEqual(result.problems, []);
        assert.ok(result.pages > 50);
    });

    test('pages_have_one_title_landmarks_and_the_way_on', () => {
        const html = readFileSync(join(folder, 'site/docs/step.html'), 'utf8');
        assert.equal((html.match(/<h1/g) ?? []).length, 1);
        for (const pattern of [
            /<main id="main">/,
            /<nav id="navigation"/,
            /<html lang="en">/,
            /class="skip"/,
            /aria-current="page"/,
            /rel="next"/,
        ]) {
            assert.match(html, pattern);
        }
        assert.match(html, /href="world\.html#sleep"/);
        assert.match(html, /href="\.\.\/api\/world\.html#rbl_world_step"/);
    });

    test('the_front_page_offers_the_playground', () => {
        const html = readFileSync(join(folder, 'site/index.html'), 'utf8');
        assert.match(html, /class="stage" data-src="play\/index.html"/);
        assert.match(html, /rbl_breaker_create_stress/);
    });

    test('building_again_leaves_the_playground_alone_and_old_pages_behind', () => {
        const out = join(folder, 'site');
        mkdirSync(join(out, 'play'), { recursive: true });
        writeFileSync(join(out, 'play', 'index.html'), 'kept');
        writeFileSync(join(out, 'old.html'), '');
        buildSite({ root: ROOT, out, withGallery: false });
        assert.equal(readFileSync(join(out, 'play', 'index.html'), 'utf8'), 'kept');
        assert.throws(() => readFileSync(join(out, 'old.html')));
    });

    test('a_page_that_nobody_can_find_fails_the_build', () => {
        const sources = NAVIGATION.flatMap(({ entries }) => entries.map(({ source }) => source)).filter(
            Boolean,
        );
        assert.equal(resolveNavigation(NAVIGATION, sources).length, NAVIGATION.length);
        assert.throws(
            () => resolveNavigation(NAVIGATION, [...sources, 'docs/new.md']),
            /docs\/new\.md is not in the navigation/,
        );
        assert.throws(
            () => resolveNavigation(NAVIGATION, sources.slice(1)),
            /README\.md is in the navigation, but not there/,
        );
        const twice = [{ title: 'x', entries: [{ source: 'a.md' }, { source: 'a.md' }] }];
        assert.throws(() => resolveNavigation(twice, ['a.md']), /a\.md is in it twice/);
    });

    test('search_knows_pages_headings_and_names', () => {
        const script = readFileSync(join(folder, 'site/assets/search-index.js'), 'utf8');
        const entries = JSON.parse(script.slice(script.indexOf('['), script.lastIndexOf(']') + 1));
        const urls = new Map(entries.map(([title, , url]) => [title, url]));
        assert.equal(urls.get('rbl_world_step'), 'api/world.html#rbl_world_step');
        assert.equal(urls.get('12. Breaking'), 'docs/step.html#12-breaking');
        assert.equal(urls.get('The step'), 'docs/step.html');
        assert.deepEqual(searchEntries([], new Map()), []);
    });
});
