[(rule) (comment)] @fold
