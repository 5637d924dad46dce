import { dereference } from '../../../openapi/dereference.ts'
import type { OpenApiDocument } from '../../../openapi/document.ts'
import type { Schema } from './schema.ts'

/** A parameter in the path, the query or a header. */
export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description: string
  schema: Schema
  example?: unknown
}

type Contents = Readonly<Record<string, { schema: Schema; example?: unknown }>>

/** The responses with one status. */
export interface Response {
  description: string
  'x-error-codes'?: readonly string[]
  content?: Contents
}

/** One operation, or one webhook message, as the OpenAPI document describes it. */
export interface Operation {
  operationId: string
  tags: readonly [string]
  summary: string
  description?: string
  security: readonly Readonly<Record<string, unknown>>[]
  'x-scope'?: string
  parameters?: readonly Parameter[]
  requestBody?: { required: boolean; content: Contents }
  responses: Readonly<Record<string, Response>>
}

/** An operation with its method and path. */
export interface Call {
  /** The HTTP method in capitals. */
  method: string
  path: string
  operation: Operation
}

/** Operations of one tag. */
export interface CallGroup {
  tag: string
  description: string
  calls: readonly Call[]
}

/** A message to a partner's webhook. */
export interface Message {
  type: string
  operation: Operation
}

/** The API document in the form the pages need. */
export interface Reference {
  title: string
  description: string
  baseUrl: string
  groups: readonly CallGroup[]
  messages: readonly Message[]
  /** The headers of responses. */
  headers: Readonly<Record<string, { description: string; schema: Schema }>>
}

interface DocumentShape {
  info: { title: string; description: string }
  servers: readonly [{ url: string }]
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  webhooks: Readonly<Record<string, { post: Operation }>>
  components: { headers: Reference['headers'] }
}

/** Reads the operations of `buildOpenApiDocument`, grouped by tag. Tags and operations keep the order of the document. */
export function readReference(document: OpenApiDocument): Reference {
  // Safe: we build the document, and a test compares every page with it.
  const { info, servers, tags, paths, webhooks, components } = dereference(document, document) as DocumentShape
  const calls = Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  const byTag = Map.groupBy(calls, ({ operation }) => operation.tags[0])
  return {
    title: info.title,
    description: info.description,
    baseUrl: servers[0].url,
    groups: tags.map(({ name, description }) => ({ tag: name, description, calls: byTag.get(name) ?? [] })),
    messages: Object.entries(webhooks).map(([type, { post }]) => ({ type, operation: post })),
    headers: components.headers,
  }
}

/** The URL of an operation's page. */
export function operationHref(operationId: string): string {
  return `/docs/operations/${operationId}`
}

/** The URL of a message's page. */
export function eventHref(type: string): string {
  return `/docs/events/${type}`
}

/** The URL of a tag on the contents page. */
export function tagHref(tag: string): string {
  return `/docs#${tagAnchor(tag)}`
}

/** The id of a tag's heading on the contents page. */
export function tagAnchor(tag: string): string {
  return tag.toLowerCase().replaceAll(' ', '-')
}
