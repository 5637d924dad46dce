/** Features of pdfkit that its published types lack: fonts opened by fontkit, scopes of table headers, and tagged links. */
declare namespace PDFKit {
  interface PDFOutline {
    addItem(title: string, options: { top: number }): PDFOutline
  }
}

declare namespace PDFKit.Mixins {
  interface PDFFont {
    /** A font that fontkit has opened; its name must be unique within the document. */
    font(font: import('fontkit').Font, name: string): this
  }

  interface StructureElementOptions {
    scope?: 'Row' | 'Column'
  }

  interface PDFAnnotation {
    annotate(x: number, y: number, width: number, height: number, link: TaggedLink): this
  }

  /** pdfkit writes String objects as PDF strings and primitive strings as PDF names. */
  interface TaggedLink {
    Subtype: 'Link'
    Contents: object
    A?: PDFKitReference
    /** A named destination. */
    Dest?: string
    structParent: PDFStructureElement
  }
}
