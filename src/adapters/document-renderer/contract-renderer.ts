import type { DocumentRenderer } from '../../domain/contracts/document-renderer.ts'
import { openFontLibrary } from './fonts/font-library.ts'
import { renderContractHtml } from './html/html.ts'
import { renderContractPdf } from './pdf.ts'
import { PdfFonts } from './pdf-fonts.ts'
import { TypeSetter } from './type-setter.ts'

/**
 * Renders with the fonts of the installed packages, opened once for all documents. What tells who a tenant is, is not remembered.
 * Throws when one is not installed.
 */
export function createContractRenderer(): DocumentRenderer {
  const fonts = openFontLibrary()
  const typeSetter = new TypeSetter(new PdfFonts(fonts))
  return {
    async render(document, identity) {
      try {
        return {
          html: renderContractHtml(document, { ...identity, fonts }),
          pdf: await renderContractPdf(document, { ...identity, typeSetter }),
        }
      } finally {
        typeSetter.forget(document.personal)
      }
    },
  }
}
