/** Markup that is safe to send. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function markupOf(value: unknown): string {
  if (value instanceof Html) return value.markup
  if (Array.isArray(value)) return value.map(markupOf).join('')
  if (value === undefined || value === null || value === false) return ''
  return String(value).replaceAll(/[&<>"']/g, (character) => escapes[character] ?? character)
}

/** A template tag for HTML. Escapes every value that is not markup. */
export function html(strings: TemplateStringsArray, ...values: readonly unknown[]): Html {
  return new Html(strings.map((text, index) => text + markupOf(values[index])).join(''))
}

const style = `:root{color-scheme:light dark}body{font:1.05rem/1.5 system-ui,sans-serif;margin:0 auto;max-width:36rem;padding:1rem}
h1{font-size:1.5rem;line-height:1.2}h2{font-size:1.2rem;margin-top:2rem}label,legend{display:block;font-weight:600;margin-top:.8rem}
input,select,button{font:inherit;box-sizing:border-box;width:100%;min-height:2.75rem;padding:.4rem .6rem;border:1px solid #767676;border-radius:6px}
button{margin-top:1rem;background:#0b5c4b;color:#fff;border:0;font-weight:600}fieldset{border:0;padding:0;margin:1.8rem 0 0}legend{padding:0;font-size:1.15rem}
.price{font-size:2rem;font-weight:700;margin:.2rem 0}.problem{border:2px solid #d4351c;border-radius:6px;padding:.2rem 1rem;margin-bottom:1.5rem}li{margin:.4rem 0}
a{color:#0b5c4b;overflow-wrap:anywhere}@media (prefers-color-scheme:dark){a{color:#6fd3b8}}`

/** A whole page that works on a phone. */
export function page(title: string, body: Html): string {
  return html`<!doctype html><html lang="en-GB"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><link rel="icon" href="data:,"><style>${new Html(style)}</style></head><body><main><h1>${title}</h1>${body}</main></body></html>`
    .markup
}
