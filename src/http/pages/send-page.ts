import type { FastifyReply } from 'fastify'
import { type Html, html, raw } from './html.ts'

/** A small page of ours: its title and what stands in its main part. */
export interface Page {
  title: string
  body: Html
}

const style = raw(`
:root{color-scheme:light;--ink:#1c2530;--quiet:#566270;--line:#d9dfe6;--accent:#0b5c4b;--paper:#fff;--wash:#f5f7f8}
*{box-sizing:border-box}body{margin:0;font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;color:var(--ink);background:var(--paper)}
header{border-bottom:1px solid var(--line);padding:.9rem 1.25rem}header a{color:var(--ink);text-decoration:none;font-weight:650;letter-spacing:.01em}
main{max-width:54rem;margin:0 auto;padding:1.5rem 1.25rem 4rem}h1{font-size:1.6rem;line-height:1.25;margin:.4rem 0 1rem}h2{font-size:1.15rem;margin:2.2rem 0 .6rem}
a{color:var(--accent)}code{font:.9em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:var(--wash);padding:.1em .3em;border-radius:4px;overflow-wrap:anywhere}
pre{background:var(--wash);border:1px solid var(--line);border-radius:8px;padding:.9rem;overflow-x:auto}pre code{background:none;padding:0}
table{border-collapse:collapse;width:100%}.scroll{overflow-x:auto}th,td{text-align:left;vertical-align:top;padding:.5rem .75rem .5rem 0;border-bottom:1px solid var(--line)}th{font-weight:600}
.operations dt{margin-top:1.1rem}.operations dd{margin:.3rem 0 0;padding-bottom:1.1rem;border-bottom:1px solid var(--line)}.operations code b{color:var(--accent);margin-right:.35em}.quiet{color:var(--quiet)}
`)

/** Sends the page with what every page of ours may, beside the headers of every answer: styles, and nothing from elsewhere. */
export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  const document = html`<!doctype html>
<html lang="en-GB"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${page.title} · Housebill</title><style>${style}</style></head>
<body><header><a href="/docs">Housebill</a></header><main>${page.body}</main></body></html>`
  return reply
    .header('Content-Type', 'text/html; charset=utf-8')
    .header(
      'Content-Security-Policy',
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    .send(document.markup)
}
