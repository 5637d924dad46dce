import type { NoticeWords } from '../../pages/notices.ts'
import type { AgencyPage } from './agency-visit.ts'
import { figuresNotices, figuresPage } from './figures.page.ts'
import { householdPage, householdStepPage, tenantStepPage } from './household.page.ts'
import { householdNotices } from './household-steps.ts'
import { householdsPage } from './households.page.ts'
import { sellPage } from './sell.page.ts'
import { listNotices, listPage, sellListPage, sendListPage } from './sell-list.page.ts'
import { sellBroadbandPage, sellLinksPage, sellNotices, sellQuotePage } from './sell-quote.page.ts'
import { settingsNotices, settingsPage } from './settings.page.ts'

/** The pages on which an agency's people work, in the order of the menu. */
export const agencyPages: readonly AgencyPage[] = [
  ...[householdsPage, householdPage, householdStepPage, tenantStepPage],
  ...[sellPage, sellBroadbandPage, sellQuotePage, sellLinksPage],
  ...[sellListPage, listPage, sendListPage],
  ...[figuresPage, settingsPage],
]

/** What the pages tell has happened, and the errors that they can cause. */
export const agencyNotices: NoticeWords = {
  ...{ ...sellNotices, ...listNotices },
  ...{ ...householdNotices, ...figuresNotices, ...settingsNotices },
}
