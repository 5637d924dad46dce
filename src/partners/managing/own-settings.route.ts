import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { Nullable, RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { PersonName, Text } from '../../platform/http/schemas/values.ts'
import { changeOwnSettings, readOwnSettings } from './manage-partners.ts'

const common = {
  path: '/Settings',
  tag: 'Settings',
  scope: 'customers:onboard',
  reply: ResponseObject('Settings', 'Your settings. The operator sets all but `senderName`.', {
    name: Text(200, 'Your name.'),
    senderName: Nullable(
      Text(100, 'What you are called in e-mails to tenants and on their pages; null if that is your name.'),
    ),
    returnUrls: Type.Array(Text(500, 'An address, without a query.'), {
      maxItems: 20,
      description: 'Your pages to which tenants may be sent back.',
    }),
    confirmations: Nullable(
      Text(20, 'Who sends tenants the confirmation of their contract: `operator` or `partner`. Null for the default.'),
    ),
    nudges: Nullable(
      Text(20, 'Whether tenants who have not signed are reminded: `on` or `off`. Null for the default.'),
    ),
  }),
} as const

export const readSettingsRoute = route({
  ...common,
  operationId: 'readSettings',
  method: 'GET',
  summary: 'Read your settings',
  handle: (deps, { caller }) => readOwnSettings(deps, caller),
  present: (settings) => settings,
})

export const updateSettingsRoute = route({
  ...common,
  operationId: 'updateSettings',
  method: 'PATCH',
  summary: 'Change your settings',
  description:
    'E-mails that wait to be sent keep the name with which they were queued. Send your own name to go back to it.',
  body: RequestObject('UpdateSettingsRequest', 'The settings.', {
    senderName: PersonName('What you are called in e-mails to tenants and on their pages.'),
  }),
  errors: ['validation_failed'],
  handle: (deps, { caller, body }) => changeOwnSettings(deps, caller, body),
  present: (settings) => settings,
})
