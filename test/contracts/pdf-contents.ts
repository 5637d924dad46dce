import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'

/** An element of the structure tree, as pdf.js reports it for each page. */
export interface StructureNode {
  role: string
  alt?: string
  children: (StructureNode | { type: string; id: string })[]
}

interface PdfPage {
  /** The tagged text, in content order. */
  text: string
  /** The text that the PDF marks as artifacts: page headers, page footers and repeated table headers. */
  artifactText: string
  /** The ids of the page's marked-content sequences. */
  markedIds: string[]
  untaggedText: string
  structure: StructureNode
  links: { url?: string | undefined; destination?: string | undefined }[]
}

export interface PdfContents {
  pages: PdfPage[]
  language: string
  title: string
  marked: boolean
  displaysTitle: boolean
  bookmarks: string[]
  metadata: string
  hasPlace(name: string): Promise<boolean>
}

/** Reads a PDF with pdf.js, the PDF viewer of Firefox. */
export async function readPdf(bytes: Buffer): Promise<PdfContents> {
  const pdf = await getDocument({ data: new Uint8Array(bytes), verbosity: 0 }).promise
  const { info, metadata } = await pdf.getMetadata()
  const facts = info as { Language?: string; Title?: string }
  const outline = (await pdf.getOutline()) ?? []
  const preferences: unknown = await pdf.getViewerPreferences()
  const pages: PdfPage[] = []
  for (let number = 1; number <= pdf.numPages; number += 1) pages.push(await readPage(await pdf.getPage(number)))
  return {
    pages,
    language: facts.Language ?? '',
    title: facts.Title ?? '',
    marked: (await pdf.getMarkInfo())?.Marked === true,
    displaysTitle: JSON.stringify(preferences).includes('"DisplayDocTitle":true'),
    bookmarks: outline.map(({ title }) => title),
    metadata: metadata.getRaw(),
    hasPlace: async (name) => (await pdf.getDestination(name)) !== null,
  }
}

type PageProxy = Awaited<ReturnType<Awaited<ReturnType<typeof getDocument>['promise']>['getPage']>>

async function readPage(page: PageProxy): Promise<PdfPage> {
  const read: PdfPage = {
    text: '',
    artifactText: '',
    markedIds: [],
    untaggedText: '',
    structure: noStructure,
    links: [],
  }
  const open: { tag: string; id: string | undefined }[] = []
  const content = await page.getTextContent({ includeMarkedContent: true })
  for (const item of content.items) {
    if ('str' in item) {
      if (open.some(({ tag }) => tag === 'Artifact')) read.artifactText += item.str
      else if (open.some(({ id }) => id !== undefined)) read.text += item.str
      else read.untaggedText += item.str
    } else if (item.type === 'endMarkedContent') {
      open.pop()
    } else {
      const { tag, id } = item as { tag?: string; id?: string }
      open.push({ tag: tag ?? '', id: id ?? undefined })
      if (id) read.markedIds.push(id)
    }
  }
  read.structure = (await page.getStructTree()) as unknown as StructureNode
  const annotations: { url?: string; dest?: string }[] = await page.getAnnotations()
  read.links = annotations.map(({ url, dest }) => ({ url, destination: dest }))
  return read
}

const noStructure: StructureNode = { role: 'none', children: [] }

/** Yields every node in a page's structure, with the roles of its ancestors. */
export function* structureNodes(
  node: StructureNode,
  above: readonly string[] = [],
): Generator<{ node: StructureNode; above: readonly string[] }> {
  yield { node, above }
  for (const child of node.children) {
    if ('role' in child) yield* structureNodes(child, [...above, node.role])
  }
}
