/** From this size on a body is handled as an expensive request: reading it takes a slice of time and more. */
export const largeBodyBytes = 256 * 1024;
