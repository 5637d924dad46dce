import type { FastifyReply } from 'fastify'
import { contentSecurityPolicy } from '../platform/http/security-headers.ts'
import { type Html, html } from './html.ts'

/** A whole document: the only place that writes one. `bodyAttributes` begin with a space. */
export function htmlDocument(content: { title: string; head?: Html; body: Html; bodyAttributes?: Html }): Html {
  const { title, head, body, bodyAttributes } = content
  return html`<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${title}</title>
${head}
</head>
<body${bodyAttributes}>
${body}
</body>
</html>
`
}

/** Sets the headers of a document that may use nothing but what `allowed` says, by directive of its policy. */
export function setDocumentHeaders(reply: FastifyReply, allowed: Readonly<Record<string, string>>): FastifyReply {
  return setPolicy(reply.header('Content-Type', 'text/html; charset=utf-8'), allowed)
}

/** Sets the policy of any response. */
export function setPolicy(reply: FastifyReply, allowed: Readonly<Record<string, string>>): FastifyReply {
  return reply.header('Content-Security-Policy', contentSecurityPolicy(allowed))
}
