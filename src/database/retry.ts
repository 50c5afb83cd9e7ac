import { setTimeout as sleep } from 'node:timers/promises';

const attempts = 4;
const longestPause = 100;

/**
 * Does a transaction again that the database gave up in favour of another one (deadlock, serialization failure). Only
 * for work that reads all it needs inside the transaction: then a second attempt is as good as a first.
 */
export async function retryCollisions<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === attempts || !isCollision(error)) throw error;
      // At random, so that those who collided do not meet again.
      await sleep(Math.random() * longestPause);
    }
  }
}

function isCollision(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '40001' || error.code === '40P01');
}
