import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { buildContractDocument } from '../../src/contracts/build-document.ts'
import { createContractRenderer } from '../../src/contracts/renderer/contract-renderer.ts'
import { isFullSize } from '../support/campaign-size.ts'
import { contractFacts, fibreLine, wifiAddOn } from './contract-facts.fixture.ts'
import { withoutWhitespace } from './document-texts.ts'
import { readPdf, structureNodes } from './pdf-contents.ts'
import { renderContract } from './rendering.fixture.ts'

const usual = await renderContract(contractFacts())
const contents = await readPdf(usual.pdf)

test('the PDF is tagged, in British English, and shows its title in the title bar', () => {
  assert.equal(contents.marked, true)
  assert.equal(contents.language, 'en-GB')
  assert.equal(contents.title, usual.document.title)
  assert.equal(contents.displaysTitle, true)
  assert.match(contents.metadata, /<pdfuaid:part>1<\/pdfuaid:part>/)
  assert.match(contents.metadata, /<xmp:CreateDate>2026-12-20T14:03:07Z</)
  assert.ok(usual.pdf.includes('/StructTreeRoot'))
})

test('the PDF metadata names the contract but no tenant', async () => {
  const { pdf } = await renderContract(contractFacts({ name: 'Zebedee Quux' }))
  const { metadata } = await readPdf(pdf)
  assert.match(metadata, /Contract tenant_01/)
  assert.doesNotMatch(metadata, /Zebedee/)
})

test('all text on every page of the PDF belongs to the structure tree or an artifact', async () => {
  const { pages } = await readPdf((await renderContract(contractFacts({ months: 24 }))).pdf)
  assert.ok(pages.length > 5)
  for (const page of pages) {
    assert.equal(page.untaggedText, '')
    const held = new Set<string>()
    for (const { node } of structureNodes(page.structure)) {
      for (const child of node.children) if ('id' in child) held.add(child.id)
    }
    assert.ok(page.markedIds.length > 0)
    for (const id of page.markedIds) assert.ok(held.has(id), `${id} is not in any element`)
  }
})

test('elements of the PDF are nested as PDF/UA requires', () => {
  const parents: Record<string, string[]> = {
    LI: ['L'],
    Lbl: ['LI'],
    LBody: ['LI'],
    Caption: ['Table'],
    THead: ['Table'],
    TBody: ['Table'],
    TFoot: ['Table'],
    TR: ['THead', 'TBody', 'TFoot'],
    TH: ['TR'],
    TD: ['TR'],
    H1: ['Document'],
    H2: ['Document', 'Sect'],
    H3: ['Sect'],
  }
  const seen: Record<string, number> = {}
  for (const page of contents.pages) {
    for (const { node, above } of structureNodes(page.structure)) {
      seen[node.role] = (seen[node.role] ?? 0) + 1
      const allowed = parents[node.role]
      if (allowed !== undefined) assert.ok(allowed.includes(above.at(-1) ?? ''), `${node.role} in ${above.at(-1)}`)
    }
  }
  assert.equal(seen.H1, 1)
  const { sections } = usual.document
  assert.equal(seen.H2, sections.length + 2)
  assert.ok((seen.TH ?? 0) > 0 && (seen.Link ?? 0) > sections.length)
})

test('every header cell in the PDF has a scope', () => {
  // pdf.js does not report scopes, so count them in the bytes of the structure tree, which is not compressed.
  const pdf = usual.pdf.toString('latin1')
  const headerCells = pdf.split('/S /TH\n').length - 1
  const scopes = pdf.split(/\/Scope \/(?:Row|Column)\n/).length - 1
  assert.ok(headerCells > 30)
  assert.equal(scopes, headerCells)
})

test('every section of the PDF has a bookmark and a link from the table of contents', async () => {
  const { document } = usual
  assert.deepEqual(
    contents.bookmarks,
    document.sections.map(({ heading }) => heading),
  )
  const places = contents.pages[0]?.links.flatMap(({ destination }) => (destination === undefined ? [] : [destination]))
  assert.deepEqual(
    places,
    document.sections.map(({ id }) => id),
  )
  for (const { id } of document.sections) assert.ok(await contents.hasPlace(id), id)
})

test('e-mail addresses, phone numbers and websites in the PDF are links', () => {
  const urls = contents.pages.flatMap(({ links }) => links.flatMap(({ url }) => url ?? []))
  for (const url of ['mailto:help@bills.example.com', 'tel:01632960123', 'https://bills.example.com/']) {
    assert.ok(urls.includes(url), url)
  }
})

test('every page of the PDF shows its number, the contract id and the sandbox mark', () => {
  const { pages } = contents
  for (const [index, page] of pages.entries()) {
    const furniture = withoutWhitespace(page.artifactText)
    assert.ok(furniture.includes(`Page${index + 1}of${pages.length}`))
    assert.ok(furniture.includes('Contracttenant_01'))
    const marked = withoutWhitespace(index === 0 ? page.text : page.artifactText)
    assert.ok(marked.includes('Sandboxsample,notacontract'), `page ${index + 1}`)
  }
})

test('a payment plan that spans two pages of the PDF repeats its header on the second, as an artifact', async () => {
  const { pages } = await readPdf(
    (await renderContract(contractFacts({ months: 24, products: [fibreLine, wifiAddOn] }))).pdf,
  )
  const holding = pages.filter(({ structure }) => [...structureNodes(structure)].some(({ node }) => node.role === 'TD'))
  const repeated = holding.filter(({ artifactText }) =>
    withoutWhitespace(artifactText).includes('TakenonWhatitpaysforAmount'),
  )
  assert.equal(repeated.length >= 1, true)
})

test('a name in any script with an installed font can be found in the PDF text', async () => {
  const name = 'Żółć Thị Ǹaṇ Nguyễn Κωνσταντίνου Шевченко अनुराधा 李小龍 さくら 김철수'
  const { pages } = await readPdf((await renderContract(contractFacts({ name }))).pdf)
  assert.ok(withoutWhitespace(pages.map(({ text }) => text).join('')).includes(withoutWhitespace(name)))
})

test('letters that share a glyph remain distinct in the PDF text, even if another document was rendered earlier', async () => {
  // The font builds U+0910 from U+090F and a sign.
  const facts = contractFacts({ name: 'ऐश' })
  const identity = { contractId: facts.customerId, acceptedAt: facts.acceptedAt }
  const alone = await createContractRenderer().render(buildContractDocument(facts), identity, ['pdf'])
  await renderContract(contractFacts({ name: 'एक' }))
  assert.ok((await renderContract(facts)).pdf.equals(alone.pdf))
})

test('a character missing from all installed fonts is shown as its code point, and screen readers get the character', async () => {
  const { html, pdf } = await renderContract(contractFacts({ name: '𐎀 Ming 𝔘' }))
  const { pages } = await readPdf(pdf)
  const text = pages.map((page) => page.text).join('')
  assert.ok(withoutWhitespace(text).includes('[U+10380]Ming[U+1D518]'))
  assert.ok(html.toString('utf8').includes('𐎀 Ming 𝔘'))
  assert.ok(speaks(pdf, '𐎀 Ming 𝔘'))
})

test('screen readers get the characters of a script whose glyphs are joined or reordered', async () => {
  for (const name of ['अनुराधा', 'ਗੁਰਮੀਤ ਸਿੰਘ', 'دينا', 'தமிழ்'])
    assert.ok(speaks((await renderContract(contractFacts({ name }))).pdf, name), name)
  assert.equal(speaks((await renderContract(contractFacts({ name: 'Żółć Нина' }))).pdf, 'Żółć Нина'), false)
})

/** Whether an element has this ActualText: UTF-16 with a byte order mark, escaped as a PDF string. */
function speaks(pdf: Buffer, text: string): boolean {
  const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le').swap16().toString('latin1')
  const escaped = utf16
    .replaceAll(/[()\\]/g, String.raw`\$&`)
    .replaceAll('\t', String.raw`\t`)
    .replaceAll('\n', String.raw`\n`)
  return pdf.includes(Buffer.from(`/ActualText (${escaped})`, 'latin1'))
}

test('every font of the PDF is embedded', () => {
  const pdf = usual.pdf.toString('latin1')
  const fonts = pdf.split('/Subtype /CIDFontType2').length - 1
  assert.equal(fonts, 2)
  assert.equal(pdf.split('/FontFile2 ').length - 1, fonts)
  assert.doesNotMatch(pdf, /\/Subtype \/Type1\b/)
})

const blocks = [
  [0x20, 0x17f],
  [0x300, 0x36f],
  [0x590, 0x6ff],
  [0x900, 0xaff],
  [0xb80, 0xbff],
  [0xe00, 0xe7f],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7a3],
  [0x1f600, 0x1f64f],
] as const
const letters = fc
  .constantFrom(...blocks)
  .chain(([first, last]) => fc.array(fc.integer({ min: first, max: last }), { minLength: 1, maxLength: 8 }))
  .map((codePoints) => String.fromCodePoint(...codePoints))

test('a contract can be rendered for a name in any script with any characters', async () => {
  await fc.assert(
    fc.asyncProperty(letters, async (name) => {
      const { html, pdf } = await renderContract(contractFacts({ name: `A ${name}` }))
      assert.ok(html.length > 10_000 && pdf.length > 10_000)
    }),
    { numRuns: isFullSize ? 40 : 12 },
  )
})
