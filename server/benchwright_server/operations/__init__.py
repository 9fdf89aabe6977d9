"""Operations that every editor can ask for by `workspace/executeCommand`."""
