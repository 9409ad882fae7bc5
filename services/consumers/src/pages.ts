import type { Cursor, Direction } from '@store/shared/http/pagination';

export interface PageQuery {
  page: number;
  size: number;
  after?: string | undefined;
  sort: { field: string; direction: Direction }[];
  [filter: string]: unknown;
}

export interface Page {
  /** A page envelope, as JSON. */
  json: string;
  next: Cursor | undefined;
}

/** The collections that can be read, each on the address of its group. */
export interface Pages {
  notifications(query: PageQuery): Promise<Page>;
  figures(query: PageQuery): Promise<Page>;
  invoices(query: PageQuery): Promise<Page>;
}
