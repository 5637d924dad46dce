import Type from 'typebox'
import { named } from '../../platform/http/schemas/named.ts'
import { type Metadata, metadataLimits } from './metadata.ts'

const { keys, keyLength, valueLength } = metadataLimits

/** Your own keys and values, in requests and responses alike. */
export const MetadataObject = named(
  'Metadata',
  Type.Unsafe<Metadata>({
    type: 'object',
    maxProperties: keys,
    propertyNames: {
      type: 'string',
      maxLength: keyLength,
      pattern: '^[A-Za-z0-9_.-]+$',
      description: `A key has 1 to ${keyLength} letters, digits, underscores, dots and hyphens.`,
    },
    additionalProperties: { type: 'string', maxLength: valueLength },
    description: `Your own keys and values, which only you see: at most ${keys}. A key has 1 to ${keyLength} letters, digits, underscores, dots and hyphens; a value has at most ${valueLength} characters.`,
  }),
)
