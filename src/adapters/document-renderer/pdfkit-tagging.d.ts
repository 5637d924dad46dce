/** What pdfkit can do and its published types leave out: prepared fonts, table scopes, links that are tagged. */
declare namespace PDFKit {
  interface PDFOutline {
    addItem(title: string, options: { top: number }): PDFOutline
  }
}

declare namespace PDFKit.Mixins {
  interface PDFFont {
    /** A font that fontkit has opened, under a name that is its own within the document. */
    font(font: import('fontkit').Font, name: string): this
  }

  interface StructureElementOptions {
    scope?: 'Row' | 'Column'
  }

  interface PDFAnnotation {
    annotate(x: number, y: number, width: number, height: number, link: TaggedLink): this
  }

  /** Strings that are PDF strings are String objects to pdfkit; primitive ones become PDF names. */
  interface TaggedLink {
    Subtype: 'Link'
    Contents: object
    A?: PDFKitReference
    /** A named destination. */
    Dest?: string
    structParent: PDFStructureElement
  }
}
