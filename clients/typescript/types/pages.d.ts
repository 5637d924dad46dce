/** One page of a list. */
export interface Page<Entry> {
    readonly data: readonly Entry[];
    /** Where the next page begins; null on the last page. */
    readonly nextCursor: string | null;
}
/**
 * A list. `await` gives its first page. `for await` gives every entry of this page and of all later ones, which are
 * read as they are needed.
 */
export interface Paged<Entry> extends Promise<Page<Entry>>, AsyncIterable<Entry> {
    /** Gives page by page. Store `nextCursor` of the last one to continue later. */
    pages(): AsyncIterable<Page<Entry>>;
}
/**
 * Reads a list, of which `read` gets the page at a cursor. Ends at the last page, or at an empty one: a list that can
 * be followed, such as the events from the oldest, has a cursor on every page.
 */
export declare function paged<Entry>(read: (cursor?: string) => Promise<Page<Entry>>): Paged<Entry>;
