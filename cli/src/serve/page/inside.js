// The inside of the game.

export function mount() {}
