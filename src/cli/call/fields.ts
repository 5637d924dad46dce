import { readFileSync } from 'node:fs'
import { InvalidArgumentError, Option } from 'commander'

/** The part of a JSON schema that decides how a value is written on the command line. */
export interface FieldSchema {
  type?: string | readonly string[]
  enum?: readonly unknown[]
  items?: FieldSchema
  description?: string
}

/** A field that is null: the library takes null itself for a missing value. */
export const cleared = Symbol('null')

/** A parameter, or a member of the body, as the option that carries its name. */
export function fieldOption(name: string, schema: FieldSchema, { isRequired }: { isRequired: boolean }): Option {
  const types = [schema.type ?? 'object'].flat()
  const type = types.find((each) => each !== 'null') ?? 'object'
  const isList = type === 'array' && isPlain(schema.items?.type)
  const isFlag = type === 'boolean' || schema.enum?.every((value) => value === 'true' || value === 'false') === true
  const kind = isList ? schema.items?.type : isPlain(type) ? type : 'json'
  const choices = (schema.enum ?? schema.items?.enum ?? []).filter((value) => value !== null)
  const about = [schema.description ?? '', isFlag || choices.length === 0 ? '' : `One of ${choices.join(', ')}.`]
  const option = new Option(
    isFlag ? `--${name} [true|false]` : isList ? `--${name} <${kind}...>` : `--${name} <${kind}>`,
    [isRequired ? 'Required.' : '', ...about].filter((part) => part !== '').join(' '),
  )
  // The library would make one word of a header's name.
  option.attributeName = () => name
  return option.argParser((text: string, earlier: unknown) => {
    if (text === 'null' && types.includes('null')) return cleared
    if (!isList) return readValue(text, type)
    return [...(Array.isArray(earlier) ? earlier : []), readValue(text, kind)]
  })
}

/** Reads JSON, or the file that follows an @. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('@') ? readFileSync(text.slice(1), 'utf8') : text)
  } catch (error) {
    const { message } = error as Error
    throw new InvalidArgumentError(`Must be JSON, or @ and a file with it: ${message}.`)
  }
}

function isPlain(type: unknown): boolean {
  return ['string', 'integer', 'number', 'boolean'].some((each) => each === type)
}

function readValue(text: string, type: unknown): unknown {
  if (type === 'string') return text
  const value = isPlain(type) ? plainValue(text) : readJson(text)
  if (isPlain(type) && typeof value !== (type === 'boolean' ? 'boolean' : 'number'))
    throw new InvalidArgumentError(type === 'boolean' ? 'Must be true or false.' : 'Must be a number.')
  return value
}

function plainValue(text: string): unknown {
  return text === 'true' || text === 'false' ? text === 'true' : /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
}
