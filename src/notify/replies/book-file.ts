/** Reads and writes the reply book on disk. */
import { join } from 'node:path';
import { parsedJson } from '../../core/text/json.ts';
import { ifThere, readPlainText } from '../../process/files.ts';
import type { StateRoot } from '../../state/paths.ts';
import { replaceFile } from '../../state/projection.ts';
import { notifyFolder } from '../spool.ts';
import { bookFrom, EMPTY_BOOK, openRequests, type ReplyBook } from './reply-book.ts';

const bookFile = (root: StateRoot): string => join(notifyFolder(root), 'replies.json');

export function readBook(root: StateRoot): ReplyBook {
  return bookFrom(ifThere(() => parsedJson(readPlainText(bookFile(root))))) ?? EMPTY_BOOK;
}

export function writeBook(root: StateRoot, book: ReplyBook): void {
  replaceFile(bookFile(root), `${JSON.stringify(book)}\n`);
}

/** Whether any button can still be used. */
export const hasOpenReplies = (root: StateRoot): boolean => openRequests(readBook(root), Date.now()).length > 0;
