import type { FastifyReply } from 'fastify'
import { contentSecurityPolicy } from '../platform/http/security-headers.ts'
import { type Html, html } from './html.ts'

/** A whole document. `bodyStyle` is for e-mails, whose readers ignore style sheets. */
export function htmlDocument(document: {
  title: string
  head?: Html | undefined
  body: Html
  bodyStyle?: string
}): Html {
  const { title, head, body, bodyStyle } = document
  return html`<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${title}</title>
${head}
</head>
<body${bodyStyle === undefined ? null : html` style="${bodyStyle}"`}>
${body}
</body>
</html>
`
}

/** Sends a document that may use nothing but what `allowed` says, by directive of its Content-Security-Policy. */
export function sendDocument(
  reply: FastifyReply,
  document: Html,
  allowed: Readonly<Record<string, string>>,
): FastifyReply {
  return setDocumentHeaders(reply, allowed).send(document.markup)
}

/** The headers of an HTML document. */
export function setDocumentHeaders(reply: FastifyReply, allowed: Readonly<Record<string, string>>): FastifyReply {
  return reply
    .header('Content-Type', 'text/html; charset=utf-8')
    .header('Content-Security-Policy', contentSecurityPolicy(allowed))
}
