import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { ResponseObject } from '../../platform/http/schemas/named.ts'
import { Flag, Id, Text } from '../../platform/http/schemas/values.ts'
import { listQuotingToolVersions } from './list-quoting-tool-versions.ts'

const QuotingToolVersion = ResponseObject('QuotingToolVersion', 'A published rate card.', {
  id: Id('The id to send as `quotingToolVersionId`.'),
  name: Text(200, 'The name of the version.'),
  isDefault: Flag('Whether quotes use this version unless you choose another.'),
})

export const listQuotingToolVersionsRoute = route({
  operationId: 'listQuotingToolVersions',
  method: 'GET',
  path: '/Quotes/quoting-tool-versions',
  tag: 'Quotes',
  summary: 'List the quoting tool versions you can use today',
  description:
    'Each version is a published rate card. The default comes first; a quote uses it unless you choose another. You can cache the list.',
  scope: 'quotes:read',
  reply: ResponseObject('QuotingToolVersionList', 'The quoting tool versions you can use today.', {
    versions: Type.Array(QuotingToolVersion, {
      maxItems: 1_000,
      description: 'The versions; the default comes first.',
    }),
  }),
  handle: (deps, { caller }) => listQuotingToolVersions(deps, caller),
  present: (versions) => ({
    versions: versions.map(({ quotingToolVersionId, name }, index) => ({
      id: quotingToolVersionId,
      name,
      isDefault: index === 0,
    })),
  }),
})
