"""Long work: the queue of jobs, the processes that do them, and a module for each family of jobs."""
