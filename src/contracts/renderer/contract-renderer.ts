import type { ContractDocument } from '../document.ts'
import type { DocumentFormat, DocumentIdentity, RenderedContract } from '../document-renderer.ts'
import { openFontLibrary } from './font-library.ts'
import { renderContractHtml } from './html.ts'
import { renderContractPdf } from './pdf.ts'
import { PdfFonts } from './pdf-fonts.ts'
import { TypeSetter } from './type-setter.ts'

interface ContractRenderer {
  render<Format extends DocumentFormat>(
    document: ContractDocument,
    identity: DocumentIdentity,
    formats: readonly Format[],
  ): Promise<RenderedContract<Format>>
}

/**
 * A renderer that opens the installed font packages once for all documents. It uses the thread that calls it for about
 * 0.03 s per PDF. Words that identify a tenant are not cached. Throws if a font package is missing.
 */
export function createContractRenderer(): ContractRenderer {
  const fonts = new PdfFonts(openFontLibrary())
  const typeSetter = new TypeSetter(fonts)
  const renderOne = {
    html: async (document: ContractDocument, identity: DocumentIdentity) =>
      renderContractHtml(document, { ...identity, fonts }),
    pdf: (document: ContractDocument, identity: DocumentIdentity) =>
      renderContractPdf(document, { ...identity, typeSetter }),
  }
  return {
    async render<Format extends DocumentFormat>(
      document: ContractDocument,
      identity: DocumentIdentity,
      formats: readonly Format[],
    ) {
      try {
        const rendered: Partial<RenderedContract> = {}
        for (const format of formats) rendered[format] = await renderOne[format](document, identity)
        return rendered as RenderedContract<Format>
      } finally {
        fonts.forget(document.personal)
      }
    },
  }
}
